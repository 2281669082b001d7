// Changing one task.
import * as z from 'zod';
import { levelOfKeys, levelOfStatus, newTask, onTask, operation, ref, status, text } from './entry.ts';

export const CHANGING = [
  operation(
    'create',
    'create',
    ({ task }) => levelOfStatus(task.status),
    z.strictObject({ task: newTask }),
    (on, { task }, actor) => on.create(task, actor),
  ),
  operation(
    'set',
    'write',
    ({ changes }) => levelOfKeys(changes),
    z.strictObject({
      ref,
      changes: z.record(text, text),
      force: z.boolean().exactOptional(),
      only: text.exactOptional(),
      text: text.exactOptional(),
    }),
    (on, { ref: task, changes, ...options }, actor) => on.set(task, changes, actor, options),
  ),
  operation(
    'setStatus',
    'write',
    (input) => levelOfStatus(input.status),
    z.strictObject({
      ref,
      status,
      outcome: text.exactOptional(),
      withoutChecks: text.exactOptional(),
      onlyIf: status.exactOptional(),
      onlyFinished: z.boolean().exactOptional(),
    }),
    (on, { ref: task, status: to, ...options }, actor) => on.setStatus(task, to, actor, options),
  ),
  operation('remove', 'write', 'full', onTask, (on, input, actor) => on.remove(input.ref, actor)),
];
