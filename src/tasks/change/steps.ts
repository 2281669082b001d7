// The steps of a task: ticked, renamed, added, replaced. Only making a subtask links one (S10).
import type { Edit } from '../../core/document/edits.ts';
import { RoomError } from '../../core/errors.ts';
import { editBody } from '../../core/task/body/body-edit.ts';
import {
  appendStep,
  assertLinkable,
  editStep as editOneStep,
  linkStep,
  MAX_TITLE,
  replaceSteps,
  type StepChange,
} from '../../core/task/body/step-edits.ts';
import { readSteps } from '../../core/task/body/steps.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Step, Task } from '../../core/task/task.ts';
import { assertHarmless, harmOfSteps } from '../../core/task/write-check.ts';
import { findTarget, type Target } from '../lookup/locate.ts';
import { moveToTrash } from '../observe/hide-deleted.ts';
import { announceGone } from '../observe/refresh.ts';
import type { Changed, NewTask } from '../shapes/change.ts';
import { type Actor, type RoomHandle, requestOf, withoutRequest } from '../task-room.ts';
import { assertMayChange, assertMayDivide, changeTask } from './change.ts';
import { createTask } from './create-task.ts';
import { nameOf } from './new-front-matter.ts';

type StepEdits = (body: string, offset: number) => Edit[];

/** Changes the step at `index`, from 0, but not its link (S10). @throws RoomError `not_found`, `bad_input` */
export function editStep(deps: RoomHandle, ref: string, index: number, change: StepChange, actor: Actor) {
  const { title, details, done } = change;
  if (title === undefined && details === undefined && done === undefined)
    throw new RoomError('bad_input', 'nothing to change: give title, details or done');
  return changeSteps(deps, ref, actor, (body, offset) => editOneStep(body, index, change, offset));
}

/** Adds a step after the last one. @throws RoomError `bad_input` for a title that is empty or above 60 characters (S2) */
export const addStep = (deps: RoomHandle, ref: string, title: string, actor: Actor, details = '') =>
  changeSteps(deps, ref, actor, (body, offset) =>
    appendStep(body, { title, details, done: false, task: null }, offset),
  );

/** As a caller says a step: what it leaves out stays as it was in the step of that title. */
type WantedStep = Pick<Step, 'title'> & { [Part in Exclude<keyof Step, 'title'>]?: Step[Part] };

/** Makes these the steps. @throws RoomError `not_allowed` when a linked step would be dropped (S10), `bad_input` */
export const setSteps = (deps: RoomHandle, ref: string, wanted: readonly WantedStep[], actor: Actor) =>
  changeSteps(deps, ref, actor, (body, offset) =>
    replaceSteps(body, completed(wanted, readSteps(body)), offset),
  );

/** Links are nobody's to set here: each goes on with the step of its title. */
function completed(wanted: readonly WantedStep[], now: readonly Step[]): Step[] {
  const linked = now.filter(({ task }) => task !== null);
  return wanted.map(({ title, details, done, task }) => {
    const at = linked.findIndex((step) => step.title.trim() === title.trim());
    const before = at < 0 ? null : linked.splice(at, 1)[0]!;
    return {
      title,
      details: details ?? before?.details ?? '',
      done: done ?? before?.done ?? false,
      task: task === undefined ? (before?.task ?? null) : task,
    };
  });
}

const changeSteps = (deps: RoomHandle, ref: string, actor: Actor, edits: StepEdits): Promise<Changed> =>
  changeTask(deps, ref, actor, () => ({ edit: (task, text) => withSteps(task, text, edits) }));

/** The text with its steps changed, and nothing else of it. */
function withSteps(task: Task, text: string, edits: StepEdits): string {
  const after = editBody(text, task.path, edits);
  assertHarmless(task.path, text, after, harmOfSteps);
  return after;
}

// A subtask (S11) is made before the step that names it: a crash in between leaves no step that leads nowhere.

/**
 * Makes a subtask and links the step at `index`, from 0, to it; without an index a new step of its title.
 * @throws RoomError `not_allowed` for an agent that does not own the parent; `refused` when the step has a subtask already or the
 *   parent is over; `not_found` without such a step; and as `createTask`
 */
export async function createSubtask(
  deps: RoomHandle,
  parentRef: string,
  task: NewTask,
  actor: Actor,
  index?: number,
): Promise<Changed & { step: number | null }> {
  const parent = await findTarget(deps, parentRef);
  assertMayChange(deps, actor, parent);
  assertMayDivide(deps, actor, parent);
  if (isFinished(parent.task.status))
    throw new RoomError('refused', `${parent.task.name} is ${parent.task.status}: it gets no subtasks`);
  if (task.parent !== undefined)
    throw new RoomError('bad_input', 'parent: that of a subtask is the task it is made for');
  const { key } = requestOf(actor);
  const before = key === undefined ? null : (deps.writer.known(key)?.task ?? null);
  const isLinked = before !== null && parent.task.steps.some((step) => step.task === before);
  if (index !== undefined && !isLinked) assertLinkable(parent.task.steps, index, null);
  const child = await createTask(deps, { ...task, parent: parent.id ?? parent.task.name }, actor);
  try {
    const fresh = { title: titleOf(task), details: '', done: false, task: child.id };
    return { ...child, step: await link(deps, parent, fresh, actor, index) };
  } catch (error) {
    // The caller is told that no subtask was made.
    moveToTrash(deps, child.path);
    await announceGone(deps, child.path, actor);
    throw error;
  }
}

/** Links the step at the index to the task of `fresh`, which is added where there is no index; returns where it stands. */
async function link(deps: RoomHandle, parent: Target, fresh: Step, actor: Actor, index: number | undefined) {
  let step = -1;
  const edits = (body: string, offset: number): Edit[] => {
    const steps = readSteps(body);
    const linked = steps.findIndex((one) => one.task === fresh.task);
    step = linked >= 0 ? linked : (index ?? steps.length);
    if (linked >= 0) return [];
    return index === undefined ? appendStep(body, fresh, offset) : linkStep(body, index, fresh.task!, offset);
  };
  // Linking twice changes nothing, so that it needs no key; that of the request is the new file's.
  await changeTask(deps, parent.id ?? parent.path, withoutRequest(actor), () => ({
    edit: (task, text) => withSteps(task, text, edits),
  }));
  return step;
}

function titleOf(task: NewTask): string {
  const words = [...(task.title ?? nameOf(task)).replace(/[\p{Cc}\s]+/gu, ' ').trim()];
  return words.length <= MAX_TITLE ? words.join('') : `${words.slice(0, MAX_TITLE - 1).join('')}…`;
}
