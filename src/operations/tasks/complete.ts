import { defined } from '../../core/plain-data.ts';
import { operation, optional, ref, text } from '../operation.ts';

export const complete = operation({
  summary: 'finish a task',
  about:
    'Finishes a task: its status becomes done, it gets a line in the history, and tasks it blocked may run.',
  needs: 'write',
  level: 'full',
  cli: {
    command: 'done',
    words: ['ref...'],
    stdin: ['outcome'],
    examples: {
      'taskroom done "Fix the build"': 'mark a task done',
      'taskroom done --all --label docs': 'every open task with a label, all or none of them',
      'taskroom done 3npr --outcome "The cache key was wrong; fixed in 4f2c."': 'and say what came out',
    },
    done: 'is done',
  },
  tool: {
    name: 'complete_task',
    about: 'Mark a task done, with what came of it.',
    names: { ref: 'id' },
    without: ['without_checks'],
  },
  input: () => ({
    ref: ref(),
    outcome: optional(text(), 'what came out, written under Outcome in the same step; - for stdin'),
    without_checks: optional(
      text(),
      'done whatever the checks of its turn would say, and why; not for agents',
    ),
  }),
  run: async (on, { ref: task, outcome, without_checks }, actor) =>
    (await import('../../tasks/change/status-change.ts')).setStatus(on, task, 'done', actor, {
      ...(outcome?.trim() ? { outcome } : {}),
      ...defined({ withoutChecks: without_checks }),
    }),
});
