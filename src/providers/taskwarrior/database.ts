// Finds tasks of a Taskwarrior database with all that the contract says of them: what the filter of the source lets in,
// and which blockers are over.
import { isFinished } from '../../core/task/status.ts';
import type { Effects } from '../../effects.ts';
import type { RemoteTask } from '../provider.ts';
import type { TaskProgram } from './program.ts';
import { isUuid, listOf, type TaskRecord } from './record.ts';
import {
  type IsFinished,
  isTemplate,
  type SourceSettings,
  stateOf,
  statusOf,
  toRemoteTask,
} from './to-remote-task.ts';

/** More UUIDs than this make one reading of the whole database: a command line has its limits. */
const MAX_UUIDS = 500;

/** The filter that lets in every task, as Taskwarrior people write it: nothing needs to be asked for it. */
const EVERYTHING = 'status.any:';

/** Tells which tasks the source's own filter lets in, of the whole database or of these. */
export async function readAdmission(
  program: TaskProgram,
  source: string,
  uuids: readonly string[] | null,
  signal: AbortSignal | undefined,
): Promise<(uuid: string) => boolean> {
  if (source.trim() === EVERYTHING) return () => true;
  const admitted = await program.filterTasks(source, uuids, signal);
  return (uuid) => admitted.has(uuid);
}

export interface Found {
  record: TaskRecord;
  task: RemoteTask;
  /** Its text can't be written back as it was. */
  lossy: boolean;
}

export type Database = ReturnType<typeof createDatabase>;

export function createDatabase(program: TaskProgram, settings: SourceSettings, effects: Effects) {
  const nowSecond = (): number => Math.floor(effects.now() / 1000);

  /** Those that are there; templates of recurring tasks never are. */
  async function find(uuids: readonly string[], signal?: AbortSignal) {
    const found = new Map<string, Found>();
    if (uuids.length === 0) return found;
    const asked = uuids.length > MAX_UUIDS ? null : uuids;
    const [admits, { records, lossy }] = await bothEnded([
      readAdmission(program, settings.config.source, asked, signal),
      program.exportTasks(asked, signal),
    ]);
    const now = nowSecond();
    const over = await knowBlockers(program, records, now, signal);
    const wanted = new Set(uuids);
    for (const record of records) {
      if (!wanted.has(record.uuid) || isTemplate(record)) continue;
      const facts = { nowSecond: now, isFinished: over, admitted: admits(record.uuid) };
      found.set(record.uuid, { record, task: toRemoteTask(record, settings, facts), lossy });
    }
    return found;
  }

  return {
    find,
    nowSecond,
    /** What a record would be to the contract, with the facts of one that was found. */
    shape: (record: TaskRecord, { admitted }: RemoteTask): RemoteTask =>
      toRemoteTask(record, settings, { nowSecond: nowSecond(), isFinished: () => false, admitted }),
  };
}

/** As Promise.all, but when one fails the other's program has ended too. */
async function bothEnded<A, B>(work: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Whether a task of these is over; one that is not there blocks nothing. */
export function finishedOf(records: readonly TaskRecord[], nowSecond: number): IsFinished {
  const open = new Set<string>();
  for (const record of records) if (!isFinished(statusOf(stateOf(record, nowSecond)))) open.add(record.uuid);
  return (uuid) => !open.has(uuid);
}

async function knowBlockers(
  program: TaskProgram,
  records: readonly TaskRecord[],
  nowSecond: number,
  signal: AbortSignal | undefined,
): Promise<IsFinished> {
  const present = new Set(records.map(({ uuid }) => uuid));
  const depends = records.flatMap((record) => listOf(record, 'depends')).map((uuid) => uuid.toLowerCase());
  const others = [...new Set(depends)].filter((uuid) => isUuid(uuid) && !present.has(uuid));
  if (others.length === 0) return finishedOf(records, nowSecond);
  const asked = others.length > MAX_UUIDS ? null : others;
  const more = await program.exportTasks(asked, signal);
  return finishedOf([...records, ...more.records], nowSecond);
}
