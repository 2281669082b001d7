// Ids that the runtime writes into files: to a file without one, and to a copy that carries another task's.
import { removeKey, setKey } from '../../core/document/document.ts';
import { isRoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { TaskRoom } from '../task-room.ts';
import { homeElsewhere } from './original.ts';
import { mustReadTask } from './read-file-row.ts';
import { freshTaskId } from './used-ids.ts';

/**
 * Gives the file an id that was never used, unless it has one.
 * @returns the id it has now; null when it is gone or can't be read as a task
 * @throws RoomError `io`, `locked`
 */
export async function giveId(deps: TaskRoom, path: string): Promise<TaskId | null> {
  const id = freshTaskId(deps);
  return editId(deps, path, id, (text) => {
    return mustReadTask(path, text).id === null ? setKey(text, 'id', id, path) : text;
  });
}

/**
 * Makes a copied file a task of its own: a new id, and no `remote:`, since the mirror stays with the original. Does
 * nothing when the file is no copy (any more).
 * @returns the id it has now; null when it is gone or can't be read as a task
 * @throws RoomError `io`, `locked`
 */
export async function splitCopy(deps: TaskRoom, path: string): Promise<TaskId | null> {
  const id = freshTaskId(deps);
  let of: { id: TaskId; name: string } | null = null;
  const now = await editId(deps, path, id, (text) => {
    const task = mustReadTask(path, text);
    of = null;
    if (task.id === null || !isCopy(deps, path, task.id)) return text;
    of = { id: task.id, name: task.name };
    return asOwnTask(text, id, path);
  });
  // The closure above assigns it; the checker does not see that.
  const split = of as { id: TaskId; name: string } | null;
  if (split !== null && now === id)
    deps.events.emit({ type: 'task.copied', id, name: split.name, of: split.id });
  return now;
}

/** Whether a file with this id is a copy: the task is known under another path that still holds it. */
export function isCopy(deps: TaskRoom, path: string, id: TaskId): boolean {
  return homeElsewhere(deps, path, id) !== null;
}

/** A copy's text with an id of its own and without its mirror. */
export function asOwnTask(text: string, id: TaskId, path: string): string {
  return removeKey(setKey(text, 'id', id, path), 'remote', path);
}

async function editId(
  deps: TaskRoom,
  path: string,
  id: TaskId,
  edit: (text: string) => string,
): Promise<TaskId | null> {
  try {
    const { after } = await deps.writer.edit(path, { actor: 'runtime', task: id, edit, id });
    return mustReadTask(path, after).id;
  } catch (error) {
    if (isRoomError(error, 'not_found') || isRoomError(error, 'invalid_file')) return null;
    throw error;
  }
}
