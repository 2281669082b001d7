// Turns: asked for, looked at, ended.
import * as z from 'zod';
import { count, none, onTask, operation, ref, text } from './entry.ts';

export const TURNS = [
  operation(
    'run',
    'write',
    z.strictObject({ ref, force: z.boolean().exactOptional() }),
    (on, { ref: task, ...options }, actor) => on.run(task, options, actor),
  ),
  operation('release', 'person', none, (on) => on.release()),
  operation(
    'turns',
    'read',
    z.strictObject({
      ref: ref.exactOptional(),
      state: z.enum(['running', 'completed', 'failed', 'killed']).exactOptional(),
      untold: z.boolean().exactOptional(),
      limit: count.exactOptional(),
    }),
    (on, input) => on.turns(input),
  ),
  operation('markTold', 'person', z.strictObject({ turns: z.array(text) }), async (on, { turns }) => {
    await on.markTold(turns as never[]);
    return null;
  }),
  operation('turn', 'read', onTask, (on, input) => on.turn(input.ref)),
  operation(
    'output',
    'read',
    z.strictObject({ turn: text, offset: count, limit: count.exactOptional() }),
    (on, { turn, offset, limit }) => on.output(turn as never, offset, limit),
  ),
  operation('kill', 'person', onTask, (on, input, actor) => on.kill(input.ref, actor)),
];
