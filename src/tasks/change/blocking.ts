// What a task waits for, one link at a time (G2). The link stands in the file of the task that waits; its inverse is
// computed when somebody asks.
import { removeKey, setKey } from '../../core/document/document.ts';
import type { Task } from '../../core/task/task.ts';
import { refresh } from '../observe/refresh.ts';
import { findByRef, idOfRef, namesOfTask } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed } from '../shapes/changed.ts';
import type { Actor } from '../task-room.ts';
import { changeTask } from './change.ts';
import { referenceTo } from './set-keys.ts';

/**
 * Makes a task wait for another.
 * @throws RoomError `bad_input` when there is no such other task, or when it would wait for itself in a circle, which is
 *   named; and as `changeTask`
 */
export function blockTask(handle: RoomHandle, ref: string, by: string, actor: Actor): Promise<Changed> {
  return changeTask(handle, ref, actor, async (target) => {
    // A link written by hand and not seen yet may close a circle.
    await refresh(handle);
    const blocker = await referenceTo(handle, by, 'blocked_by', target, actor);
    const names = namesOf(handle, blocker);
    const edit = (task: Task, text: string): string => {
      if (task.blockedBy.some((each) => names.has(idOfRef(each)))) return text;
      return setKey(text, 'blocked_by', [...task.blockedBy, blocker], task.path);
    };
    return { edit };
  });
}

/** Makes a task wait for another no more, under whatever word it does. Throws as `changeTask`. */
export function unblockTask(handle: RoomHandle, ref: string, by: string, actor: Actor): Promise<Changed> {
  return changeTask(handle, ref, actor, () => {
    const names = namesOf(handle, by);
    const edit = (task: Task, text: string): string => {
      const rest = task.blockedBy.filter((each) => !names.has(idOfRef(each)));
      if (rest.length === task.blockedBy.length) return text;
      return rest.length === 0
        ? removeKey(text, 'blocked_by', task.path)
        : setKey(text, 'blocked_by', rest, task.path);
    };
    return { edit };
  });
}

/** The words that a file may have for the task which `word` means, also one that is gone or never was. */
function namesOf({ deps }: RoomHandle, word: string): ReadonlySet<string> {
  const known = findByRef(deps.ledger, word);
  return new Set([idOfRef(word), ...(known === null ? [] : namesOfTask(deps.ledger, known.id, known.name))]);
}
