// The steps of a task.
import * as z from 'zod';
import { count, operation, ref, step, text } from './entry.ts';

export const STEPS = [
  operation(
    'setStep',
    'write',
    'readonly',
    z.strictObject({ ref, index: count, done: z.boolean() }),
    (on, { ref: task, index, done }, actor) => on.setStep(task, index, done, actor),
  ),
  operation(
    'editStep',
    'write',
    'readonly',
    z.strictObject({
      ref,
      index: count,
      title: text.exactOptional(),
      details: text.exactOptional(),
      done: z.boolean().exactOptional(),
    }),
    (on, { ref: task, index, ...change }, actor) => on.editStep(task, index, change, actor),
  ),
  operation(
    'addStep',
    'write',
    'readonly',
    z.strictObject({ ref, title: text, details: text.exactOptional() }),
    (on, { ref: task, title, details }, actor) => on.addStep(task, title, actor, details),
  ),
  operation(
    'setSteps',
    'write',
    'readonly',
    z.strictObject({ ref, steps: z.array(step) }),
    (on, { ref: task, steps }, actor) => on.setSteps(task, steps as never, actor),
  ),
];
