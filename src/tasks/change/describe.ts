// What is to be done, said anew: the text under Task.
import { RoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import { editBody } from '../../core/task/body/body-edit.ts';
import { normaliseForeign, safeAgentText } from '../../core/task/body/foreign-text.ts';
import { replaceTaskText } from '../../core/task/body/task-text.ts';
import type { Task } from '../../core/task/task.ts';
import { harmOfWords, readPrint } from '../../core/task/write-check.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed } from '../shapes/changed.ts';
import type { Actor } from '../task-room.ts';
import { changeTask } from './change.ts';
import { checkText } from './entry-change.ts';

/**
 * Makes `text` what the task says under Task; everything else stays. New words make a task due, as an edit does.
 * @throws RoomError `bad_input` for an empty text, or one with a heading that is a section of the task; and as `changeTask`
 */
export function describeTask(
  handle: RoomHandle,
  ref: string,
  text: string,
  actor: Actor,
  only?: string,
): Promise<Changed> {
  const edit = textEdit(handle, text, actor);
  return changeTask(handle, ref, actor, () => ({ edit, ...(only === undefined ? {} : { only }) }));
}

/** What says `text` under Task. @throws RoomError `bad_input`, also when it is applied */
export function textEdit(
  handle: RoomHandle,
  text: string,
  actor: Actor,
): (task: Task, before: string) => string {
  checkText(text);
  const words = actor.kind === 'person' ? normaliseForeign(text).trim() : safeAgentText(text);
  const tag = newTag(handle.deps.effects.randomBytes);
  return (task, before) => {
    const after = editBody(before, task.path, (body, offset) => replaceTaskText(body, words, tag, offset));
    if (after === before) return before;
    const print = readPrint(task.path, before);
    const harm = print && harmOfWords(print, readPrint(task.path, after));
    if (harm === null) return after;
    throw new RoomError('bad_input', `text: with it ${harm}`, {
      hint: 'leave out headings such as ## Progress, which are sections of the task; or: taskroom edit',
    });
  };
}
