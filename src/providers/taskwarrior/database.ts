// A Taskwarrior database: its tasks with all that the contract says of them, what of them changed since a cursor, and the one
// way they are written. Writes go one after another, each on the task as it is at that moment, which is imported whole and
// read again.
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Cursor, RemoteRef, RemoteTask } from '../provider.ts';
import { parseCursor } from '../tracker-rules.ts';
import { assertNotStopped, type TaskProgram } from './program.ts';
import { formatSecond, isUuid, listOf, type TaskRecord } from './record.ts';
import { isTemplate, type SourceSettings, stateOf, statusOf, toRemoteTask } from './to-remote-task.ts';

export interface Database extends SourceSettings {
  program: TaskProgram;
  nowSecond(): number; // Epoch seconds.
  serially: SerialQueue['add'];
}

export interface Found {
  record: TaskRecord;
  task: RemoteTask;
  lossy: boolean; // Its text can't be written back as it was.
}

/** More UUIDs than this make one reading of the whole database: a command line has its limits. */
const MAX_UUIDS = 500;
/** The filter that lets in every task, as Taskwarrior people write it: nothing needs to be asked for it. */
const EVERYTHING = 'status.any:';

/** Those that are there, all for null; templates of recurring tasks never are. */
export async function findTasks(database: Database, uuids: readonly string[] | null, signal?: AbortSignal) {
  const found = new Map<string, Found>();
  if (uuids?.length === 0) return found;
  const bad = uuids?.find((uuid) => !isUuid(uuid));
  if (bad !== undefined) throw new RoomError('bad_input', `${JSON.stringify(bad)} is not a Taskwarrior UUID`);
  const asked = uuids === null || uuids.length > MAX_UUIDS ? null : uuids;
  const { program, config } = database;
  const { records, lossy } = await program.exportTasks(asked, signal);
  // Asked after the export: what changes in between is listed again next time.
  const isFiltered = config.source.trim() !== EVERYTHING;
  const admitted = isFiltered ? await program.filterTasks(config.source, asked, signal) : null;
  const nowSecond = database.nowSecond();
  const more = asked === null ? [] : await otherBlockers(database, records, signal);
  const isOpen = (record: TaskRecord) => !isFinished(statusOf(stateOf(record, nowSecond)));
  // A blocker that is not there blocks nothing.
  const open = new Set([...records, ...more].filter(isOpen).map(({ uuid }) => uuid));
  const wanted = uuids && new Set(uuids);
  for (const record of records) {
    if (isTemplate(record) || wanted?.has(record.uuid) === false) continue;
    const isAdmitted = admitted?.has(record.uuid) !== false;
    const facts = { nowSecond, isFinished: (uuid: string) => !open.has(uuid), admitted: isAdmitted };
    found.set(record.uuid, { record, task: toRemoteTask(record, database, facts), lossy });
  }
  return found;
}

/** What blocks these tasks and is not among them. */
async function otherBlockers({ program }: Database, records: readonly TaskRecord[], signal?: AbortSignal) {
  const present = new Set(records.map(({ uuid }) => uuid));
  const depends = records.flatMap((record) => listOf(record, 'depends')).map((uuid) => uuid.toLowerCase());
  const others = [...new Set(depends)].filter((uuid) => isUuid(uuid) && !present.has(uuid));
  if (others.length === 0) return [];
  return (await program.exportTasks(others.length > MAX_UUIDS ? null : others, signal)).records;
}

/** @throws RoomError `bad_input`, `gone` */
export async function readTask(database: Database, ref: RemoteRef, signal?: AbortSignal): Promise<Found> {
  const found = (await findTasks(database, [ref], signal)).get(ref);
  if (found) return found;
  throw new RoomError('gone', `Taskwarrior has no task ${ref} any more`);
}

/** Runs a write after those before it. @throws RoomError `interrupted` when stopped before it begins */
export const inTurn = <T>({ serially }: Database, signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  serially(async () => {
    assertNotStopped(signal);
    return work();
  });

/** Makes the task, or replaces it whole. @returns what stands there now. @throws RoomError `refused` */
export async function putTask(database: Database, record: TaskRecord, lossy: boolean): Promise<Found> {
  if (lossy) {
    const hint = `Mend its text with \`task ${record.uuid.slice(0, 8)} edit\`.`;
    throw new RoomError('refused', `task ${record.uuid} holds text that is not UTF-8`, { hint });
  }
  await database.program.importTask({ ...record, modified: formatSecond(database.nowSecond()) });
  // It is written: the answer is read whatever the caller's signal says.
  return readTask(database, record.uuid);
}

/** Above it tasks share a fingerprint, and a change lists those that share it too; keeps a cursor below 64 KB. */
const MAX_PRINTS = 8192;
const PRINT_LENGTH = 7; // Characters of base64url: 42 bits a fingerprint.
const PAGE_SIZE = 200;
const mark = z.object({ v: z.literal(1), prints: z.string().nullable() });

/** Pages of what changed since a cursor; the cursor stays where it was until the last one. A change is told by content alone,
 * the cursor holds fingerprints: `modified` has one second, other devices sync older ones in, a wait ends by itself. */
export function* listPages(tasks: readonly RemoteTask[], cursor: Cursor | null, maxPrints = MAX_PRINTS) {
  const prints = parseCursor(cursor, mark)?.prints ?? null;
  const known = prints === null ? null : new Set(prints.match(new RegExp(`.{${PRINT_LENGTH}}`, 'g')));
  const slotOf = ({ ref }: RemoteTask) => digest(ref).readUInt32BE() % maxPrints;
  const sorted = tasks.toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
  const slots =
    tasks.length <= maxPrints ? sorted.map((task) => [task]) : [...Map.groupBy(sorted, slotOf).values()];
  const printOf = (slot: RemoteTask[]) =>
    digest(JSON.stringify(slot)).toString('base64url').slice(0, PRINT_LENGTH);
  const printed = slots.map((slot) => ({ print: printOf(slot), slot }));
  const all = printed.map(({ print }) => print).sort();
  const next = JSON.stringify({ v: 1, prints: all.join('') });
  const changed = printed.flatMap(({ print, slot }) => (known?.has(print) ? [] : slot));
  const items = (known === null ? changed.filter(({ admitted }) => admitted) : changed).sort(byChange);
  const start = known === null ? JSON.stringify({ v: 1, prints: null }) : cursor!;
  for (let at = 0; at === 0 || at < items.length; at += PAGE_SIZE) {
    const isLast = at + PAGE_SIZE >= items.length;
    yield { items: items.slice(at, at + PAGE_SIZE), next: isLast ? next : start };
  }
}

const byChange = (a: RemoteTask, b: RemoteTask) => a.updatedAt - b.updatedAt || (a.ref < b.ref ? -1 : 1);
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
