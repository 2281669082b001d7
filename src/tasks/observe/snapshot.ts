// What all task files say now, for commands that only read: the readings kept in the ledger, with what changed on
// disk since read anew and laid over them in memory. Writes no task file and observes nothing.

import { isRoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { isBlocked } from '../../core/rules/decide.ts';
import { isCopyName } from '../../core/task/copy-name.ts';
import type { ListedTask } from '../../core/task/listed-line.ts';
import { asListed, isDeleted, lineOf, unpackForList } from '../../core/task/packed-reading.ts';
import { isFinished, type Status } from '../../core/task/status.ts';
import type { InvalidFile, Task, TaskReading } from '../../core/task/task.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import { type FileRow, type FileStamp, sameStamp } from '../../store/ledger/tasks/files.ts';
import { NOT_UTF8, runScan, type Skipped, statTask } from '../../store/scan.ts';
import type { FileLine, Lines } from '../file-lines.ts';
import { findByRef, idOfRef, namesOfTask, namesOfWord, taskOfIssue } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';

export interface Snapshot {
  /** In the order of their paths. A copy that has no id of its own yet has none here. */
  tasks: ListedTask[];
  invalid: InvalidFile[];
  /** Readable ones with keys that look mistyped. */
  odd: InvalidFile[];
  skipped: Skipped[];
  /** Status of what a task's `blocked_by` names: by id, else by exact name, archived tasks too; null when nothing fits. */
  statusOf(ref: string): Status | null;
  /** The task with a file that a reference names. */
  find(ref: string): ListedTask | null;
}

// Reading this many again at each command would be felt; fewer are not worth a write.
const WORTH_KEEPING = 50;

/** What every file says now, in the order of paths. @throws RoomError `room_gone`, `io` */
export async function readLines(handle: RoomHandle): Promise<Lines> {
  const live = handle.ports.lines?.() ?? null;
  if (live !== null) return live.read();
  const cached = handle.deps.ledger.files.cached();
  const { gone, changed, skipped } = runScan(handle.deps.room, cached, sameStamp);
  for (const path of gone) cached.delete(path);
  for (const { path } of changed) cached.delete(path);
  const files: FileLine[] = [...cached.values()];
  const odd = handle.deps.ledger.files.odd().filter(({ path }) => cached.has(path));
  if (changed.length > 0) {
    const paths = changed.map(({ path }) => path);
    const rows = await readAll(handle, paths);
    for (const { path, reading, stamp } of rows) files.push({ path, line: lineOf(reading, stamp.mtimeMs) });
    odd.push(...rows);
    if (rows.length > WORTH_KEEPING) keep(handle, rows);
  }
  for (const { path, reason } of skipped)
    if (reason === NOT_UTF8) files.push({ path, line: unnameableLine(path) });
  inPathOrder(files);
  return { files: files.filter(({ line }) => !isDeleted(line)), skipped, odd: odd.flatMap(oddKeysOf) };
}

export function unnameableLine(path: string): string {
  return lineOf({ ok: false, invalid: unnameable(path) }, null);
}

export function oddKeysOf({ path, reading }: Pick<FileRow, 'path' | 'reading'>): InvalidFile[] {
  return reading.ok && reading.task.oddKeys ? [{ path, problems: reading.task.oddKeys }] : [];
}

/** A task file that no command could be given: it is shown, so that its owner renames it. */
function unnameable(path: string): InvalidFile {
  const problem = {
    path,
    line: 1,
    col: 1,
    message: NOT_UTF8,
    hint: 'rename the file (mv), its bytes are no text',
  };
  return { path, problems: [problem] };
}

/** Looks at everything. @throws RoomError `room_gone`, `io` */
export async function takeSnapshot(handle: RoomHandle): Promise<Snapshot> {
  const { files, skipped, odd } = await readLines(handle);
  const tasks: ListedTask[] = [];
  const invalid: InvalidFile[] = [];
  for (const { line } of files) {
    const reading = unpackForList(line);
    if (reading.ok) tasks.push(reading.task);
    else invalid.push(reading.invalid);
  }
  return { tasks: withoutBorrowedIds(handle, tasks), invalid, odd, skipped, ...lookups(handle, tasks) };
}

/** One task and those around it, by what the ledger knows: what it waits for, what waits for it, its subtasks. @throws RoomError `io` */
export async function takeSnapshotAround(handle: RoomHandle, task: Task): Promise<Snapshot> {
  const { ledger } = handle.deps;
  const names = namesOfTask(ledger, task.id, task.name);
  const around = [
    // A word nobody knows yet may be the name of a file that nobody saw.
    ...task.blockedBy.map((ref) => findByRef(ledger, ref)?.path ?? `tasks/${namesOfWord(ref).at(-1)}.md`),
    ...ledger.tasks.children(names).map(({ path }) => path),
    ...task.steps.map((step) => (step.task === null ? null : (findByRef(ledger, step.task)?.path ?? null))),
    ...ledger.blockers.holders(names).map((id) => ledger.tasks.get(id)?.path ?? null),
  ];
  const paths = new Set(around.filter((path) => path !== null && path !== task.path));
  const readings = await Promise.all([...paths].map((path) => readNow(handle, path!)));
  const others = readings.flatMap((reading) => (reading?.ok ? [asListed(reading.task, null)] : []));
  const tasks = [asListed(task, null), ...others];
  return { tasks, invalid: [], odd: [], skipped: [], ...lookups(handle, tasks) };
}

/** What one file says now: as it was kept where it did not change since. */
async function readNow(handle: RoomHandle, path: string): Promise<TaskReading | null> {
  const stamp = statTask(handle.deps.room.at(path));
  return stamp === null || typeof stamp === 'string' ? null : readFresh(handle, path, stamp);
}

/** What a file with this stamp says; null when it is gone, or being saved at this moment. @throws RoomError `io` */
export async function readFresh(
  handle: RoomHandle,
  path: string,
  stamp: FileStamp,
): Promise<TaskReading | null> {
  const known = handle.deps.ledger.files.get(path);
  if (known !== null && sameStamp(known.stamp, stamp)) return known.reading;
  return (await readAll(handle, [path]))[0]?.reading ?? null;
}

/** Sorts what is not sorted yet: the ledger orders by UTF-8, and what was read anew stands at the end. */
export function inPathOrder(files: { path: string }[]): void {
  for (let at = 1; at < files.length; at += 1)
    if (files[at - 1]!.path > files[at]!.path) return void files.sort(byPath);
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** Reads these files anew, as many side by side as is good for a disk. @throws RoomError `io` */
export async function readAll(handle: RoomHandle, paths: readonly string[]): Promise<FileRow[]> {
  // Loaded here: it brings the YAML parser, and most of the time nothing changed.
  const { readFileRow } = await import('./read-file-row.ts');
  const rows: FileRow[] = [];
  // Files that were just saved rest for a moment each: side by side that is one moment.
  for (let at = 0; at < paths.length; at += 64) {
    const batch = await Promise.all(paths.slice(at, at + 64).map((path) => readFileRow(handle.deps, path)));
    for (const row of batch) {
      if (row === null || row === 'unstable') continue;
      const { text: _, ...kept } = row;
      rows.push(kept);
    }
  }
  return rows;
}

function keep(handle: RoomHandle, rows: readonly FileRow[]): void {
  if (handle.ports.daemonRuns()) return;
  try {
    handle.deps.ledger.transaction(() => {
      for (const row of rows) handle.deps.ledger.files.put(row, false);
    });
  } catch (error) {
    // It would only have made the next command quicker.
    if (!isRoomError(error, 'locked') && !isRoomError(error, 'io')) throw error;
  }
}

/** Of files with the same id the one the ledger knows keeps it; the others are about to get their own. */
function withoutBorrowedIds(handle: RoomHandle, tasks: ListedTask[]): ListedTask[] {
  const seen = new Map<TaskId, number>();
  for (const [at, task] of tasks.entries()) {
    if (task.id === null) continue;
    const other = seen.get(task.id);
    if (other === undefined) {
      seen.set(task.id, at);
      continue;
    }
    const home = handle.deps.ledger.tasks.get(task.id)?.path;
    const isPlainer = home === undefined && isCopyName(tasks[other]!.name, task.name);
    const loser = task.path === home || isPlainer ? other : at;
    if (loser === other) seen.set(task.id, at);
    tasks[loser] = { ...tasks[loser]!, id: null };
  }
  return tasks;
}

function lookups(handle: RoomHandle, tasks: readonly ListedTask[]): Pick<Snapshot, 'statusOf' | 'find'> {
  let known: Map<string, Status | null> | null = null;
  const statuses = (): Map<string, Status | null> => {
    known ??= statusesOf(
      handle,
      tasks,
      tasks.flatMap(({ blockedBy }) => blockedBy),
    );
    return known;
  };
  const find = (ref: string): ListedTask | null => {
    const word = idOfRef(ref);
    const named = tasks.find(({ id }) => id === word) ?? tasks.find(({ name }) => name === word);
    if (named) return named;
    const mirror = taskOfIssue(handle.deps.ledger, word);
    return mirror === null ? null : (tasks.find(({ id }) => id === mirror) ?? null);
  };
  return {
    find,
    statusOf(ref) {
      const status = statuses().get(idOfRef(ref));
      return status === undefined ? (find(ref)?.status ?? null) : status;
    },
  };
}

/** The status of each of `refs`, by its word: of ten thousand tasks few are waited for. */
export function statusesOf(
  handle: RoomHandle,
  tasks: readonly Pick<ListedTask, 'id' | 'path' | 'status'>[],
  refs: Iterable<string>,
): Map<string, Status | null> {
  const statuses = new Map<string, Status | null>();
  for (const ref of refs) statuses.set(idOfRef(ref), null);
  if (statuses.size === 0) return statuses;
  const unknown = new Set(statuses.keys());
  const learn = (word: string, status: Status): void => {
    if (unknown.delete(word)) statuses.set(word, status);
  };
  // Before the names: where an id is also a name, the id counts.
  for (const { id, status } of tasks) if (id !== null) learn(id, status);
  if (unknown.size > 0) for (const { path, status } of tasks) learn(nameOfPath(path), status);
  if (unknown.size > 0)
    for (const [word, status] of handle.deps.ledger.tasks.statusesOfAbsent([...unknown])) learn(word, status);
  for (const [word, status] of statusesOfIssues(handle, tasks, unknown)) learn(word, status);
  return statuses;
}

/** The status of the tasks that mirror these issues. */
function statusesOfIssues(
  handle: RoomHandle,
  tasks: readonly Pick<ListedTask, 'id' | 'path' | 'status'>[],
  words: ReadonlySet<string>,
): [string, Status][] {
  const mirrors = [...words].flatMap((word): [string, TaskId][] => {
    const task = taskOfIssue(handle.deps.ledger, word);
    return task === null ? [] : [[word, task]];
  });
  if (mirrors.length === 0) return [];
  const ids = mirrors.map(([, task]) => task);
  const statuses = statusesOf(handle, tasks, ids);
  return mirrors.flatMap(([word, task]): [string, Status][] => {
    const status = statuses.get(task) ?? null;
    return status === null ? [] : [[word, status]];
  });
}

/** Whether an open task waits for another; finished ones wait for nothing. */
export function isWaiting(
  snapshot: Pick<Snapshot, 'statusOf'>,
  task: { blockedBy: readonly string[]; status: Status },
): boolean {
  if (task.blockedBy.length === 0 || isFinished(task.status)) return false;
  return isBlocked(task.blockedBy.map((ref) => ({ status: snapshot.statusOf(ref) })));
}
