// Deleting a task: its file, and those of its subtasks, go to the attic.
import type { TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import { locatePath, lookAtOne } from '../lookup/locate.ts';
import { moveToTrash, notePersonsMove } from '../observe/hide-deleted.ts';
import { readFileRow } from '../observe/read-file-row.ts';
import { announceGone, refresh } from '../observe/refresh.ts';
import { subtasksToCascade } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Removed } from '../shapes/change.ts';
import { type Actor, asOneCommand, commandOf } from '../task-room.ts';
import { assertMayChange } from './change.ts';

/** Moves a task's file to the attic, readable or not, and before it those of its subtasks (C1). @throws RoomError as `tasksToDelete`, `io`, `locked` */
export async function removeTask(deps: RoomHandle, ref: string, actor: Actor): Promise<Removed> {
  const [own, ...below] = await tasksToDelete(deps, ref, actor);
  const subtasks: Removed[] = [];
  const by = asOneCommand(actor, deps.effects);
  // From below, so that a crash in between leaves no subtask without its parent.
  for (const task of below) subtasks.push(await removeOne(deps, task, by));
  const removed = await removeOne(deps, own, by);
  return subtasks.length === 0 ? removed : { ...removed, subtasks };
}

async function removeOne(deps: RoomHandle, { id, name, path }: ToDelete, actor: Actor): Promise<Removed> {
  const attic = moveToTrash(deps, path);
  if (actor.kind === 'person') notePersonsMove(deps, { path, task: id, command: commandOf(actor) }, attic);
  await announceGone(deps, path, actor);
  return { id, name, path, changed: true, attic };
}

interface ToDelete {
  id: TaskId | null;
  name: string;
  path: string;
}

/**
 * Returns the task and the subtasks deleted with it, deepest first; only the task when `alone`. Subtasks that mirror an issue or
 * belong to another task too stay. @throws RoomError `not_found`, `ambiguous`, `not_allowed`
 */
export async function tasksToDelete(
  deps: RoomHandle,
  ref: string,
  actor: Actor,
  alone = false,
): Promise<[ToDelete, ...ToDelete[]]> {
  let path = await lookAtOne(deps, ref);
  if (path === null) {
    await refresh(deps);
    path = await locatePath(deps, ref);
  }
  const { id, parent, owner } = await knownAt(deps, path);
  const own = { id, name: nameOfPath(path), path };
  assertMayChange(deps, actor, { id, task: { name: own.name, parent, owner } });
  if (id === null || alone) return [own];
  // A subtask that was made by hand and not seen yet is one too.
  await refresh(deps);
  const below = subtasksToCascade(deps.ledger, { id, name: own.name });
  for (const child of below) assertMayChange(deps, actor, { id: child.id, task: child });
  return [own, ...below.map(({ id, name, path }) => ({ id, name, path: path! }))];
}

async function knownAt(
  deps: RoomHandle,
  path: string,
): Promise<{ id: TaskId | null; parent: string | null; owner: string | null }> {
  const row = await readFileRow(deps, path);
  if (row !== null && row !== 'unstable' && row.reading.ok) return row.reading.task;
  return deps.ledger.tasks.byPath(path) ?? { id: null, parent: null, owner: null };
}
