import { outputAnswer, turnRef } from '../../tasks/shapes/turn.ts';
import { count, operation, optional, z } from '../operation.ts';

// Its command, `log`, stands in cli/commands: it can follow a turn, and shows what its agent said.
export const turnOutput = operation({
  summary: 'read what a turn printed, from a byte on',
  about: 'With `wait` it is answered once there is more, or the turn is over.',
  needs: 'read',
  http: { method: 'get', path: '/api/turns/{turn}/output' },
  input: () => ({
    turn: turnRef(),
    offset: optional(count()),
    limit: optional(count(), 'bytes, at most 1 MiB'),
    wait: optional(z.number().min(0).max(60), 'seconds, at most 60'),
  }),
  output: outputAnswer,
  run: async (on, { turn, ...options }, actor) =>
    (await import('../../tasks/turns/turn-records.ts')).turnOutput(on, turn, options, actor),
});
