// Subtasks (S11): a task of its own that names its parent, and a step of the parent that names it. The subtask is made
// first: a crash in between leaves it with its parent and without a step, never a step that leads nowhere.
import type { Edit } from '../../core/document/edits.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { appendStep, assertLinkable, linkStep, MAX_TITLE } from '../../core/task/body/step-edits.ts';
import { readSteps } from '../../core/task/body/steps.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Step } from '../../core/task/task.ts';
import { findTarget } from '../find/find-target.ts';
import type { Target } from '../find/locate.ts';
import { moveToAttic } from '../observe/hide-deleted.ts';
import { announceGone } from '../observe/refresh.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed } from '../shapes/changed.ts';
import type { NewTask } from '../shapes/new-task.ts';
import { type Actor, requestOf, withoutRequest } from '../task-room.ts';
import { assertMayChange, assertMayDivide, changeTask } from './change.ts';
import { createTask } from './create-task.ts';
import { nameOf } from './new-front-matter.ts';
import { withSteps } from './step-change.ts';

/**
 * Makes a subtask and links a step of its parent to it.
 * @param index of the step, from 0; absent: a step of the subtask's title is added after the last one
 * @throws RoomError `not_allowed` for an agent that does not own the parent; `refused` when the step has a subtask
 *   already or the parent is over; `not_found` without such a step; and as `createTask`
 */
export async function createSubtask(
  handle: RoomHandle,
  parentRef: string,
  task: NewTask,
  actor: Actor,
  index?: number,
): Promise<Changed & { step: number | null }> {
  const parent = await findTarget(handle, parentRef);
  assertMayChange(handle.deps, actor, parent);
  assertMayDivide(handle.deps, actor, parent);
  if (isFinished(parent.task.status))
    throw new RoomError('refused', `${parent.task.name} is ${parent.task.status}: it gets no subtasks`);
  if (task.parent !== undefined)
    throw new RoomError('bad_input', 'parent: that of a subtask is the task it is made for');
  const { key } = requestOf(actor);
  const before = key === undefined ? null : (handle.deps.writer.known(key)?.task ?? null);
  const isLinked = before !== null && parent.task.steps.some((step) => step.task === before);
  if (index !== undefined && !isLinked) assertLinkable(parent.task.steps, index, null);
  const child = await createTask(handle, { ...task, parent: parent.id ?? parent.task.name }, actor);
  try {
    const step = await link(handle, parent, child.id, actor, index, titleOf(task));
    return { ...child, step };
  } catch (error) {
    // Whoever asked is told that nothing came of it.
    moveToAttic(handle.deps, child.path);
    await announceGone(handle, child.path, actor);
    throw error;
  }
}

async function link(
  handle: RoomHandle,
  parent: Target,
  child: TaskId,
  actor: Actor,
  index: number | undefined,
  title: string,
): Promise<number> {
  let step = -1;
  const edits = (body: string, offset: number): Edit[] => {
    const steps = readSteps(body);
    const linked = steps.findIndex((one) => one.task === child);
    step = linked >= 0 ? linked : (index ?? steps.length);
    if (linked >= 0) return [];
    if (index !== undefined) return linkStep(body, index, child, offset);
    const fresh: Step = { title, details: '', done: false, task: child };
    return appendStep(body, fresh, offset);
  };
  // Linking twice changes nothing, so that it needs no key; that of the request is the new file's.
  await changeTask(handle, parent.id ?? parent.path, withoutRequest(actor), () => ({
    edit: (task, text) => withSteps(task, text, edits),
  }));
  return step;
}

function titleOf(task: NewTask): string {
  const words = [...(task.title ?? nameOf(task)).replace(/[\p{Cc}\s]+/gu, ' ').trim()];
  return words.length <= MAX_TITLE ? words.join('') : `${words.slice(0, MAX_TITLE - 1).join('')}…`;
}
