// Tools for the parts of a task: its steps.
import * as z from 'zod';
import { changeText } from './answers.ts';
import { flag, given, id, index, listOf, text } from './inputs.ts';
import { meant, type ToolCaller, tool } from './tool.ts';

const STEP = z.strictObject({ title: text, details: text.optional(), done: flag.optional() });
type GivenStep = z.infer<typeof STEP>;

export const UPDATE_STEPS = tool(
  'update_steps',
  'readonly',
  'Set the whole plan. Titles have at most 60 characters; a step that links a subtask keeps its link by its title and may not be left out.',
  z.strictObject({ id, steps: listOf(STEP, 200) }),
  (caller, { id: ref, steps }) => setSteps(caller, meant(caller, ref), steps),
);

export const UPDATE_STEP = tool(
  'update_step',
  'readonly',
  'Tick, untick or reword one step.',
  z.strictObject({
    id,
    index: index.describe('from 0'),
    done: flag.optional(),
    title: text.optional(),
    details: text.optional(),
  }),
  async (caller, { id: ref, index: at, ...change }) =>
    changeText(await caller.tasks.editStep(meant(caller, ref), at, given(change), caller.actor)),
);

/** Links are nobody's to set here: each goes on with the step of its title; one that finds none is refused by the operation. */
async function setSteps(caller: ToolCaller, ref: string, wanted: readonly GivenStep[]): Promise<string> {
  const { stepList } = await caller.tasks.show(ref);
  const linked = stepList.filter(({ task }) => task !== null);
  const steps = wanted.map(({ title, details, done }) => {
    const at = linked.findIndex((step) => step.title.trim() === title.trim());
    const before = at < 0 ? null : linked.splice(at, 1)[0]!;
    return {
      title,
      details: details ?? before?.details ?? '',
      done: done ?? before?.done ?? false,
      task: before?.task ?? null,
    };
  });
  return changeText(await caller.tasks.setSteps(ref, steps, caller.actor));
}
