// Taking a task out of tasks/ on demand: into the attic, or, when it is finished, into the archive.
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { isFinished } from '../../core/task/status.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import { subtasksToCascade } from '../family.ts';
import { findTarget, lookAtOne } from '../find/find-target.ts';
import { locatePath } from '../find/locate.ts';
import { giveId, splitCopy } from '../observe/give-id.ts';
import { moveToAttic } from '../observe/hide-deleted.ts';
import { recordReading } from '../observe/observer.ts';
import { readFileRow } from '../observe/read-file-row.ts';
import { announceGone, refresh } from '../observe/refresh.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed, Removed } from '../shapes/changed.ts';
import type { Actor } from '../task-room.ts';
import { archiveOne } from './archive.ts';
import { assertMayChange } from './change.ts';

/**
 * Moves a task's file to the attic, readable as a task or not, and before it those of its subtasks (C1). What follows is
 * what follows a deletion.
 * @throws RoomError `not_found`, `ambiguous`, `not_allowed`, `io`, `locked`
 */
export async function removeTask(handle: RoomHandle, ref: string, actor: Actor): Promise<Removed> {
  const [own, ...below] = await doomedWith(handle, ref, actor);
  const subtasks: Removed[] = [];
  // From below, so that a crash in between leaves no subtask without its parent.
  for (const doomed of below) subtasks.push(await removeOne(handle, doomed, actor));
  const removed = await removeOne(handle, own, actor);
  return subtasks.length === 0 ? removed : { ...removed, subtasks };
}

async function removeOne(handle: RoomHandle, { id, name, path }: Doomed, actor: Actor): Promise<Removed> {
  const attic = moveToAttic(handle.deps, path);
  await announceGone(handle, path, actor);
  return { id, name, path, changed: true, attic };
}

/** A file that is to go. */
interface Doomed {
  id: TaskId | null;
  name: string;
  path: string;
}

/**
 * The task that a word means, then, unless it goes `alone`, what is deleted with it, deepest first: its subtasks through
 * all levels. Those that
 * mirror an issue stay, and those that another task has as its subtask too.
 * @throws RoomError `not_found`, `ambiguous`, `not_allowed`
 */
export async function doomedWith(
  handle: RoomHandle,
  ref: string,
  actor: Actor,
  alone = false,
): Promise<[Doomed, ...Doomed[]]> {
  const { deps } = handle;
  const path = (await lookAtOne(handle, ref)) ?? (await pathAfterLook(handle, ref));
  const { id, parent, owner } = await knownAt(handle, path);
  const own = { id, name: nameOfPath(path), path };
  assertMayChange(deps, actor, { id, task: { name: own.name, parent, owner } });
  if (id === null || alone) return [own];
  // A subtask that was made by hand and not seen yet is one too.
  await refresh(handle);
  const below = subtasksToCascade(deps.ledger, { id, name: own.name });
  for (const child of below) assertMayChange(deps, actor, { id: child.id, task: child });
  return [own, ...below.map(({ id, name, path }) => ({ id, name, path: path! }))];
}

async function pathAfterLook(handle: RoomHandle, ref: string): Promise<string> {
  await refresh(handle);
  return locatePath(handle, ref);
}

async function knownAt(
  { deps }: RoomHandle,
  path: string,
): Promise<{ id: TaskId | null; parent: string | null; owner: string | null }> {
  const row = await readFileRow(deps, path);
  if (row !== null && row !== 'unstable' && row.reading.ok) return row.reading.task;
  return deps.ledger.tasks.byPath(path) ?? { id: null, parent: null, owner: null };
}

/**
 * Moves a finished task to archive/YYYY-MM/, the month of its finish.
 * @throws RoomError `refused` for an open one or while a turn runs, and as `changeTask`
 */
export async function archiveTask(handle: RoomHandle, ref: string, actor: Actor): Promise<Changed> {
  const { deps } = handle;
  const target = await findTarget(handle, ref);
  assertMayChange(deps, actor, target);
  const { status, name } = target.task;
  if (!isFinished(status)) {
    throw new RoomError('refused', `${name} is ${status}: only done and canceled tasks are archived`, {
      hint: `finish it first: taskroom done ${JSON.stringify(name)}`,
    });
  }
  const id = target.id ?? (await (target.task.id === null ? giveId : splitCopy)(deps, target.path));
  // Not known yet: a file that was just given its id, or that the daemon has not looked at.
  if (id !== null && deps.ledger.tasks.get(id)?.path !== target.path) await learn(handle, target.path);
  const memory = id === null ? null : deps.ledger.tasks.get(id);
  if (id === null || memory?.path !== target.path) {
    throw new RoomError('conflict', `${target.path} is being changed`, { hint: 'try again in a moment' });
  }
  const path = await archiveOne(deps, memory);
  handle.ports.ring();
  return { id, name, path, changed: true };
}

async function learn({ deps }: RoomHandle, path: string): Promise<void> {
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable') return;
  const { text: _, ...reading } = row;
  recordReading(deps, reading);
}
