import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const complete = operation({
  name: 'complete',
  summary: 'finish a task',
  about:
    'Finishes a task: its status becomes done, it gets a line in the history, and tasks it blocked may run.',
  needs: 'write',
  level: 'full',
  http: { method: 'post', path: '/api/tasks/{ref}/complete' },
  cli: {
    command: 'done',
    group: 'Tasks',
    words: ['ref...'],
    stdin: ['outcome'],
    flags: { outcome: '--outcome <text>', without_checks: '--without-checks <reason>' },
    examples: [
      ['taskroom done "Fix the build"', 'mark a task done'],
      ['taskroom done --all --label docs', 'every open task with a label, all or none of them'],
      ['taskroom done 3npr --outcome "The cache key was wrong; fixed in 4f2c."', 'and say what came out'],
    ],
    done: 'is done',
  },
  tool: {
    name: 'complete_task',
    about: 'Mark a task done, with what came of it.',
    names: { ref: 'id' },
    without: ['without_checks'],
  },
  input: () =>
    z.strictObject({
      ref: ref(),
      outcome: text()
        .exactOptional()
        .meta({ description: 'what came out, written under Outcome in the same step; - for stdin' }),
      without_checks: text().exactOptional().meta({
        description: 'done whatever the checks of its turn would say, and why; not for agents',
      }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, outcome, without_checks }, actor) =>
    (await import('../../tasks/change/status-change.ts')).setStatus(on, task, 'done', actor, {
      ...(outcome?.trim() ? { outcome } : {}),
      ...(without_checks === undefined ? {} : { withoutChecks: without_checks }),
    }),
});
