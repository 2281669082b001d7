import * as z from 'zod';
import { count } from '../../core/shapes.ts';
import { outputAnswer, turnRef } from '../../tasks/shapes/turn.ts';
import { operation } from '../operation.ts';

// Its command, `log`, stands in cli/commands: it can follow a turn, and shows what its agent said.
export const turnOutput = operation({
  name: 'turnOutput',
  summary: 'what a turn printed, from a byte on',
  about: 'With `wait` it is answered once there is more, or the turn is over.',
  needs: 'read',
  http: { method: 'get', path: '/api/turns/{turn}/output' },
  input: () =>
    z.strictObject({
      turn: turnRef(),
      offset: count().exactOptional(),
      limit: count().exactOptional().meta({ description: 'bytes, at most 1 MiB' }),
      wait: z.number().min(0).max(60).exactOptional().meta({ description: 'seconds, at most 60' }),
    }),
  output: outputAnswer,
  run: async (on, { turn, ...options }, actor) =>
    (await import('../../tasks/turns/turn-records.ts')).turnOutput(on, turn, options, actor),
});
