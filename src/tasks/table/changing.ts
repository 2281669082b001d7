// Changing one task.
import * as z from 'zod';
import { entry, newTask, onTask, operation, ownKey, ref, status, text } from './entry.ts';

export const CHANGING = [
  operation('create', 'create', z.strictObject({ task: newTask }), (on, { task }, actor) =>
    on.create(task, actor),
  ),
  operation(
    'set',
    'write',
    z.strictObject({ ref, changes: z.record(text, text), force: z.boolean().exactOptional() }),
    (on, { ref: task, changes, ...options }, actor) => on.set(task, changes, actor, options),
  ),
  operation('describe', 'write', z.strictObject({ ref, text }), (on, input, actor) =>
    on.describe(input.ref, input.text, actor),
  ),
  operation(
    'setStatus',
    'write',
    z.strictObject({
      ref,
      status,
      outcome: text.exactOptional(),
      onlyFinished: z.boolean().exactOptional(),
    }),
    (on, { ref: task, status: to, ...options }, actor) => on.setStatus(task, to, actor, options),
  ),
  operation(
    'pause',
    'write',
    z.strictObject({ ref, reason: text.exactOptional() }),
    (on, { ref: task, reason }, actor) => on.pause(task, actor, reason),
  ),
  operation('resume', 'write', onTask, (on, input, actor) => on.resume(input.ref, actor)),
  operation('remove', 'write', onTask, (on, input, actor) => on.remove(input.ref, actor)),
  operation('archive', 'write', onTask, (on, input, actor) => on.archive(input.ref, actor)),
  operation('comment', 'comment', entry, (on, input, actor) =>
    on.comment(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('progress', 'write', entry, (on, input, actor) =>
    on.progress(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('note', 'runtime', entry, (on, input, actor) =>
    on.note(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('outcome', 'write', entry, (on, input, actor) =>
    on.outcome(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('printed', 'runtime', entry, (on, input, actor) =>
    on.printed(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
];
