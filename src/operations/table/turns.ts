// Turns: asked for, looked at, ended.
import * as z from 'zod';
import { count, none, onTask, operation, ref, text } from './entry.ts';

export const TURNS = [
  operation(
    'run',
    'write',
    'readonly',
    z.strictObject({ ref, force: z.boolean().exactOptional(), chat: z.boolean().exactOptional() }),
    (on, { ref: task, ...options }, actor) => on.run(task, options, actor),
  ),
  operation('release', 'person', 'full', none, (on) => on.release()),
  operation(
    'turns',
    'read',
    'minimal',
    z.strictObject({
      ref: ref.exactOptional(),
      state: z.enum(['pending', 'running', 'completed', 'failed', 'killed']).exactOptional(),
      pending: z.boolean().exactOptional(),
      untold: z.boolean().exactOptional(),
      limit: count.exactOptional(),
    }),
    (on, input) => on.turns(input),
  ),
  operation('markTold', 'person', 'full', z.strictObject({ turns: z.array(text) }), async (on, { turns }) => {
    await on.markTold(turns as never[]);
    return null;
  }),
  operation('turn', 'read', 'minimal', onTask, (on, input) => on.turn(input.ref)),
  operation(
    'output',
    'read',
    'minimal',
    z.strictObject({ turn: text, offset: count, limit: count.exactOptional() }),
    (on, { turn, offset, limit }) => on.output(turn as never, offset, limit),
  ),
  operation('kill', 'person', 'full', onTask, (on, input, actor) => on.kill(input.ref, actor)),
];
