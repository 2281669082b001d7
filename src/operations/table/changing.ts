// Changing one task.
import * as z from 'zod';
import {
  entry,
  levelOfKeys,
  levelOfStatus,
  newTask,
  onTask,
  operation,
  ownKey,
  ref,
  status,
  text,
} from './entry.ts';

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
    'describe',
    'write',
    'readonly',
    z.strictObject({ ref, text, only: text.exactOptional() }),
    (on, input, actor) => on.describe(input.ref, input.text, actor, input.only),
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
  operation(
    'pause',
    'write',
    'readonly',
    z.strictObject({ ref, reason: text.exactOptional() }),
    (on, { ref: task, reason }, actor) => on.pause(task, actor, reason),
  ),
  operation('resume', 'write', 'readonly', onTask, (on, input, actor) => on.resume(input.ref, actor)),
  operation('remove', 'write', 'full', onTask, (on, input, actor) => on.remove(input.ref, actor)),
  operation('archive', 'write', 'full', onTask, (on, input, actor) => on.archive(input.ref, actor)),
  operation('comment', 'comment', 'readonly', entry, (on, input, actor) =>
    on.comment(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('progress', 'write', 'readonly', entry, (on, input, actor) =>
    on.progress(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('note', 'runtime', 'readonly', entry, (on, input, actor) =>
    on.note(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('outcome', 'write', 'readonly', entry, (on, input, actor) =>
    on.outcome(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
  operation('printed', 'runtime', 'readonly', entry, (on, input, actor) =>
    on.printed(input.ref, input.text, actor, ownKey(actor, input.key)),
  ),
];
