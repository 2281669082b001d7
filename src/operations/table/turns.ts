// Turns: asked for, looked at, ended.
import * as z from 'zod';
import { count, onTask, operation, ref, text } from './entry.ts';

export const TURNS = [
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
