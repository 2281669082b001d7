// What all task files say now, for commands that only read: the readings kept in the ledger, with what changed on
// disk since read anew and laid over them in memory. Writes no task file and observes nothing.
import { isBlocked } from '../core/decide.ts';
import { isRoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import { type ListedReading, type ListedTask, toListed, unpackForList } from '../core/packed-reading.ts';
import { isFinished, type Status } from '../core/status.ts';
import type { InvalidFile } from '../core/task.ts';
import type { FileRow } from '../store/ledger/files.ts';
import { runScan, type Skipped } from '../store/scan.ts';
import type { Desk } from './desk.ts';
import { idOfRef } from './references.ts';

export interface Snapshot {
  /** In the order of their paths. A copy that has no id of its own yet has none here. */
  tasks: ListedTask[];
  invalid: InvalidFile[];
  skipped: Skipped[];
  /** Status of what a task's `blocked_by` names: by id, else by exact name, archived tasks too; null when nothing fits. */
  statusOf(ref: string): Status | null;
  /** The task with a file that a reference names. */
  find(ref: string): ListedTask | null;
}

// Reading this many again at each command would be felt; fewer are not worth a write.
const WORTH_KEEPING = 50;

/** Looks at everything. @throws RoomError `room_gone`, `io` */
export async function takeSnapshot(desk: Desk): Promise<Snapshot> {
  const { files } = desk.deps.ledger;
  const cached = files.cached();
  const scan = runScan(desk.deps.room, cached);
  for (const path of scan.gone) cached.delete(path);
  for (const { path } of scan.changed) cached.delete(path);
  const readings: ListedReading[] = [];
  for (const [path, { packed, hash }] of cached) readings.push(unpackForList(packed, path, hash));
  if (scan.changed.length > 0) {
    const rows = await readAll(
      desk,
      scan.changed.map(({ path }) => path),
    );
    for (const row of rows) readings.push(toListed(row.reading));
    if (rows.length > WORTH_KEEPING) keep(desk, rows);
  }
  const tasks: ListedTask[] = [];
  const invalid: InvalidFile[] = [];
  for (const reading of readings) {
    if (reading.ok) tasks.push(reading.task);
    else invalid.push(reading.invalid);
  }
  if (scan.changed.length > 0) {
    tasks.sort(byPath);
    invalid.sort(byPath);
  }
  return { tasks: withoutBorrowedIds(desk, tasks), invalid, skipped: scan.skipped, ...lookups(desk, tasks) };
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

async function readAll(desk: Desk, paths: readonly string[]): Promise<FileRow[]> {
  // Loaded here: it brings the YAML parser, and most of the time nothing changed.
  const { readFileRow } = await import('./read-file-row.ts');
  const rows: FileRow[] = [];
  // Files that were just saved rest for a moment each: side by side that is one moment.
  for (let at = 0; at < paths.length; at += 64) {
    const batch = await Promise.all(paths.slice(at, at + 64).map((path) => readFileRow(desk.deps, path)));
    for (const row of batch) {
      if (row === null || row === 'unstable') continue;
      const { text: _, ...kept } = row;
      rows.push(kept);
    }
  }
  return rows;
}

function keep(desk: Desk, rows: readonly FileRow[]): void {
  if (desk.ports.daemonRuns()) return;
  try {
    desk.deps.ledger.transaction(() => {
      for (const row of rows) desk.deps.ledger.files.put(row);
    });
  } catch (error) {
    // It would only have made the next command quicker.
    if (!isRoomError(error, 'locked') && !isRoomError(error, 'io')) throw error;
  }
}

/** Of files with the same id the one the ledger knows keeps it; the others are about to get their own. */
function withoutBorrowedIds(desk: Desk, tasks: ListedTask[]): ListedTask[] {
  const seen = new Map<TaskId, number>();
  for (const [at, task] of tasks.entries()) {
    if (task.id === null) continue;
    const other = seen.get(task.id);
    if (other === undefined) {
      seen.set(task.id, at);
      continue;
    }
    const home = desk.deps.ledger.tasks.get(task.id)?.path;
    const loser = task.path === home ? other : at;
    if (loser === other) seen.set(task.id, at);
    tasks[loser] = { ...tasks[loser]!, id: null };
  }
  return tasks;
}

function lookups(desk: Desk, tasks: readonly ListedTask[]): Pick<Snapshot, 'statusOf' | 'find'> {
  let byWord: Map<string, ListedTask> | null = null;
  let absent: Map<string, Status> | null = null;
  const words = (): Map<string, ListedTask> => {
    if (byWord !== null) return byWord;
    byWord = new Map();
    for (const task of tasks) if (!byWord.has(task.name)) byWord.set(task.name, task);
    // After the names: where an id is also a name, the id counts.
    for (const task of tasks) if (task.id !== null) byWord.set(task.id, task);
    return byWord;
  };
  const statusOfAbsent = (word: string): Status | null => {
    absent ??= desk.deps.ledger.tasks.statusesOfAbsent(unknownRefs(tasks, words()));
    return absent.get(word) ?? null;
  };
  return {
    find: (ref) => words().get(idOfRef(ref)) ?? null,
    statusOf: (ref) => words().get(idOfRef(ref))?.status ?? statusOfAbsent(idOfRef(ref)),
  };
}

/** All that is referred to and is no file here, so that one query answers for every task. */
function unknownRefs(tasks: readonly ListedTask[], known: ReadonlyMap<string, ListedTask>): string[] {
  const refs = new Set<string>();
  for (const task of tasks) {
    for (const ref of task.blockedBy) if (!known.has(idOfRef(ref))) refs.add(idOfRef(ref));
  }
  return [...refs];
}

/** Whether an open task waits for another; finished ones wait for nothing. */
export function isWaiting(
  snapshot: Pick<Snapshot, 'statusOf'>,
  task: Pick<ListedTask, 'blockedBy' | 'status'>,
): boolean {
  if (task.blockedBy.length === 0 || isFinished(task.status)) return false;
  return isBlocked(task.blockedBy.map((ref) => ({ status: snapshot.statusOf(ref) })));
}
