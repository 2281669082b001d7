// How tasks hang together.
import * as z from 'zod';
import { count, levelOfStatus, newTask, operation, ref } from './entry.ts';

export const LINKS = [
  operation(
    'createSubtask',
    'write',
    ({ task }) => levelOfStatus(task.status),
    z.strictObject({ parent: ref, task: newTask, step: count.exactOptional() }),
    (on, { parent, task, step }, actor) => on.createSubtask(parent, task, actor, step),
  ),
];
