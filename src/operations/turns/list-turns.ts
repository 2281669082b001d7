import { TURN_STATES } from '../../core/rules/turn.ts';
import { turnAnswer } from '../../tasks/shapes/turn.ts';
import { count, flag, operation, optional, text, words, z } from '../operation.ts';

export const listTurns = operation({
  summary: 'list turns, newest first',
  about:
    'Lists turns, newest first: of one task, or of the room; before them those that are asked for, and jobs among them.',
  needs: 'read',
  http: { method: 'get', path: '/api/turns' },
  cli: {
    command: 'turns',
    words: ['task+'],
    flags: {
      task: '--task <task>',
      state: '--running',
      status: '--status <state>',
      since: '--since <date>',
      pending: null,
      untold: null,
    },
    examples: {
      'taskroom turns': 'the last turns of the room',
      'taskroom turns "Fix the build" --limit 5': 'the last five of one task',
      'taskroom turns status:failed label:web --since monday': 'those that failed on tasks with a label',
    },
    notes: '--running shows what runs now. With --json: {"turns":[…]}.',
  },
  input: () => ({
    task: optional(
      text(),
      'only turns of this task, of chore:<name>, or of the tasks that a filter fits: label:web; its status: is that of the turns',
    ),
    state: optional(z.enum(TURN_STATES), 'only turns in this state: those that run now, say'),
    status: optional(
      words(z.enum(TURN_STATES)),
      `only turns in these states: ${TURN_STATES.join(', ')}; a comma list`,
    ),
    since: optional(text(), 'only turns that began since this date: 2026-12-24, monday, 3d'),
    pending: optional(flag(), 'with those that are asked for; true where neither state nor untold is given'),
    untold: optional(flag(), 'only those whose end the person did not see, and no jobs'),
    limit: optional(count(), 'at most this many (default 20)'),
  }),
  output: () => ({ turns: z.array(turnAnswer()) }),
  run: async (on, filter) => (await import('../../tasks/views/turn-list.ts')).listTurns(on, filter),
});
