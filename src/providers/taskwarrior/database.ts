// A Taskwarrior database: its tasks with all that the contract says of them, and the one way they are written. Writes go one
// after another, each on the task as it is at that moment, which is imported whole and read again.
import { RoomError } from '../../core/errors.ts';
import type { SerialQueue } from '../../core/keyed-mutex.ts';
import { isFinished } from '../../core/task/status.ts';
import type { RemoteRef, RemoteTask } from '../provider.ts';
import { assertNotStopped, type TaskProgram } from './program.ts';
import { formatSecond, isUuid, listOf, type TaskRecord } from './record.ts';
import { isTemplate, type SourceSettings, stateOf, statusOf, toRemoteTask } from './to-remote-task.ts';

export interface Database {
  program: TaskProgram;
  settings: SourceSettings;
  /** Epoch seconds. */
  nowSecond(): number;
  serially: SerialQueue['add'];
}

export interface Found {
  record: TaskRecord;
  task: RemoteTask;
  /** Its text can't be written back as it was. */
  lossy: boolean;
}

/** More UUIDs than this make one reading of the whole database: a command line has its limits. */
const MAX_UUIDS = 500;
/** The filter that lets in every task, as Taskwarrior people write it: nothing needs to be asked for it. */
const EVERYTHING = 'status.any:';

/** Tells which tasks the source's own filter lets in, of the whole database or of these. */
async function readAdmission(
  { program, settings }: Database,
  uuids: readonly string[] | null,
  signal?: AbortSignal,
): Promise<(uuid: string) => boolean> {
  const { source } = settings.config;
  if (source.trim() === EVERYTHING) return () => true;
  const admitted = await program.filterTasks(source, uuids, signal);
  return (uuid) => admitted.has(uuid);
}

/** Those that are there, all for null; templates of recurring tasks never are. */
export async function findTasks(
  database: Database,
  uuids: readonly string[] | null,
  signal?: AbortSignal,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  if (uuids?.length === 0) return found;
  for (const uuid of uuids ?? []) assertUuid(uuid);
  const asked = uuids === null || uuids.length > MAX_UUIDS ? null : uuids;
  const { program, settings } = database;
  const { records, lossy } = await program.exportTasks(asked, signal);
  // Asked after the export: what changes in between is listed again next time.
  const admits = await readAdmission(database, asked, signal);
  const nowSecond = database.nowSecond();
  const more = asked === null ? [] : await otherBlockers(database, records, signal);
  const isOpen = (record: TaskRecord) => !isFinished(statusOf(stateOf(record, nowSecond)));
  // A blocker that is not there blocks nothing.
  const open = new Set([...records, ...more].filter(isOpen).map(({ uuid }) => uuid));
  const wanted = uuids && new Set(uuids);
  for (const record of records) {
    if (isTemplate(record) || wanted?.has(record.uuid) === false) continue;
    const facts = { nowSecond, isFinished: (uuid: string) => !open.has(uuid), admitted: admits(record.uuid) };
    found.set(record.uuid, { record, task: toRemoteTask(record, settings, facts), lossy });
  }
  return found;
}

/** What blocks these tasks and is not among them. */
async function otherBlockers(
  { program }: Database,
  records: readonly TaskRecord[],
  signal?: AbortSignal,
): Promise<TaskRecord[]> {
  const present = new Set(records.map(({ uuid }) => uuid));
  const depends = records.flatMap((record) => listOf(record, 'depends')).map((uuid) => uuid.toLowerCase());
  const others = [...new Set(depends)].filter((uuid) => isUuid(uuid) && !present.has(uuid));
  if (others.length === 0) return [];
  return (await program.exportTasks(others.length > MAX_UUIDS ? null : others, signal)).records;
}

/** @throws RoomError `bad_input` */
function assertUuid(ref: RemoteRef): void {
  if (!isUuid(ref)) throw new RoomError('bad_input', `${JSON.stringify(ref)} is not a Taskwarrior UUID`);
}

/** @throws RoomError `bad_input`, `gone` */
export async function readTask(database: Database, ref: RemoteRef, signal?: AbortSignal): Promise<Found> {
  const found = (await findTasks(database, [ref], signal)).get(ref);
  if (found) return found;
  throw new RoomError('gone', `Taskwarrior has no task ${ref} any more`);
}

/** Runs a write after those before it. @throws RoomError `interrupted` when stopped before it begins */
export function inTurn<T>({ serially }: Database, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return serially(async () => {
    assertNotStopped(signal);
    return work();
  });
}

/**
 * Makes the task, or replaces it whole.
 * @returns what stands there now
 * @throws RoomError `refused`
 */
export async function putTask(database: Database, record: TaskRecord, lossy: boolean): Promise<Found> {
  if (lossy) {
    const hint = `Mend its text with \`task ${record.uuid.slice(0, 8)} edit\`.`;
    throw new RoomError('refused', `task ${record.uuid} holds text that is not UTF-8`, { hint });
  }
  await database.program.importTask({ ...record, modified: formatSecond(database.nowSecond()) });
  // It is written: the answer is read whatever the caller's signal says.
  return readTask(database, record.uuid);
}
