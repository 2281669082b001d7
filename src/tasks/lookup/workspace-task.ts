// From a person's word to the task whose workspace is meant, also one of a task that is archived.
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { RoomHandle } from '../room-handle.ts';
import { locateTask } from './locate.ts';

/** @throws RoomError `not_found`, `ambiguous`, `invalid_file` */
export async function workspaceTask(handle: RoomHandle, word: string): Promise<{ id: TaskId; name: string }> {
  const row = handle.deps.ledger.workspaces.get(word as TaskId);
  if (row !== null) return { id: row.task, name: handle.deps.ledger.tasks.get(row.task)?.name ?? row.task };
  const { id, task } = await locateTask(handle, word);
  if (id !== null) return { id, name: task.title ?? task.name };
  throw new RoomError('not_found', `${task.name} has no id yet, and no workspace`);
}
