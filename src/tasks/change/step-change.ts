// The steps of a task: ticked, renamed, added, replaced. Links to subtasks are made in subtask.ts alone (S10).
import type { Edit } from '../../core/document/edits.ts';
import { RoomError } from '../../core/errors.ts';
import { editBody } from '../../core/task/body/body-edit.ts';
import {
  appendStep,
  editStep as editOneStep,
  replaceSteps,
  type StepChange,
  setStepDone,
} from '../../core/task/body/step-edits.ts';
import { readSteps } from '../../core/task/body/steps.ts';
import type { Step, Task } from '../../core/task/task.ts';
import { harmful, harmOfSteps, readPrint } from '../../core/task/write-check.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { Changed } from '../shapes/changed.ts';
import type { Actor } from '../task-room.ts';
import { changeTask } from './change.ts';

type StepEdits = (body: string, offset: number) => Edit[];

/**
 * Changes the step at `index`, from 0. Its link is not its to change (S10).
 * @throws RoomError `not_found` without such a step, `bad_input` when nothing is to be changed or a title can't be one
 */
export function editStep(
  handle: RoomHandle,
  ref: string,
  index: number,
  change: StepChange,
  actor: Actor,
): Promise<Changed> {
  const { title, details, done } = change;
  if (title === undefined && details === undefined && done === undefined)
    throw new RoomError('bad_input', 'nothing to change: give title, details or done');
  // A tick is one character, however the step is written.
  const isTick = title === undefined && details === undefined;
  return changeSteps(handle, ref, actor, (body, offset) =>
    isTick ? setStepDone(body, index, done!, offset) : editOneStep(body, index, change, offset),
  );
}

/** Adds a step after the last one. @throws RoomError `bad_input` for a title that is empty or above 60 characters (S2) */
export function addStep(
  handle: RoomHandle,
  ref: string,
  title: string,
  actor: Actor,
  details = '',
): Promise<Changed> {
  return changeSteps(handle, ref, actor, (body, offset) =>
    appendStep(body, { title, details, done: false, task: null }, offset),
  );
}

/** As a caller says a step: what it leaves out stays as it was in the step of that title. */
export type WantedStep = Pick<Step, 'title'> & { [Part in Exclude<keyof Step, 'title'>]?: Step[Part] };

/** Makes these the steps. @throws RoomError `not_allowed` when a linked step would be dropped (S10), `bad_input` */
export function setSteps(
  handle: RoomHandle,
  ref: string,
  wanted: readonly WantedStep[],
  actor: Actor,
): Promise<Changed> {
  return changeSteps(handle, ref, actor, (body, offset) =>
    replaceSteps(body, completed(wanted, readSteps(body)), offset),
  );
}

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

function changeSteps(handle: RoomHandle, ref: string, actor: Actor, edits: StepEdits): Promise<Changed> {
  return changeTask(handle, ref, actor, () => ({ edit: (task, text) => withSteps(task, text, edits) }));
}

/** The text with its steps changed, and nothing else of it. */
export function withSteps(task: Task, text: string, edits: StepEdits): string {
  const after = editBody(text, task.path, edits);
  const before = after === text ? null : readPrint(task.path, text);
  const harm = before && harmOfSteps(before, readPrint(task.path, after));
  if (harm !== null) throw harmful(task.path, harm);
  return after;
}
