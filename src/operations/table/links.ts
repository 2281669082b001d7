// How tasks hang together.
import * as z from 'zod';
import { count, levelOfStatus, newTask, operation, ref, text } from './entry.ts';

const blocking = z.strictObject({ ref, by: ref });

export const LINKS = [
  operation(
    'createSubtask',
    'write',
    ({ task }) => levelOfStatus(task.status),
    z.strictObject({ parent: ref, task: newTask, step: count.exactOptional() }),
    (on, { parent, task, step }, actor) => on.createSubtask(parent, task, actor, step),
  ),
  operation('block', 'write', 'readonly', blocking, (on, input, actor) =>
    on.block(input.ref, input.by, actor),
  ),
  operation('unblock', 'write', 'readonly', blocking, (on, input, actor) =>
    on.unblock(input.ref, input.by, actor),
  ),
  operation(
    'addResource',
    'write',
    'readonly',
    z.strictObject({ ref, kind: z.enum(['url', 'file']), value: text, label: text.nullable() }),
    (on, { ref: task, ...resource }, actor) => on.addResource(task, resource, actor),
  ),
  operation(
    'removeResource',
    'write',
    'readonly',
    z.strictObject({ ref, index: count }),
    (on, input, actor) => on.removeResource(input.ref, input.index, actor),
  ),
];
