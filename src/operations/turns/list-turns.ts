import { turnAnswer } from '../../tasks/shapes/turn.ts';
import { count, flag, operation, optional, text, z } from '../operation.ts';

export const listTurns = operation({
  summary: 'list turns, newest first',
  about:
    'Lists turns, newest first: of one task, or of the room; before them those that are asked for, and jobs among them.',
  needs: 'read',
  http: { method: 'get', path: '/api/turns' },
  cli: {
    command: 'turns',
    words: ['task'],
    flags: { state: '--running', pending: null, untold: null },
    examples: [
      ['taskroom turns', 'the last turns of the room'],
      ['taskroom turns "Fix the build" --limit 5', 'the last five of one task'],
      ['taskroom turns --running --json', 'what runs now'],
    ],
    notes: 'With --json: {"turns":[…]}.',
  },
  input: () => ({
    task: optional(text(), 'only turns of this task, or of chore:<name>'),
    state: optional(
      z.enum(['pending', 'running', 'completed', 'failed', 'killed']),
      'only turns in this state: those that run now, say',
    ),
    pending: optional(flag(), 'with those that are asked for; true where neither state nor untold is given'),
    untold: optional(flag(), 'only those whose end the person did not see, and no jobs'),
    limit: optional(count(), 'at most this many (default 20)'),
  }),
  output: () => ({ turns: z.array(turnAnswer()) }),
  run: async (on, filter) => (await import('../../tasks/turns/turn-records.ts')).listTurns(on, filter),
});
