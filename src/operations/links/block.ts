import * as z from 'zod';
import { ref } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const block = operation({
  name: 'block',
  summary: 'make a task wait for others',
  about:
    'Makes a task wait for others: it has no turn until all of them are done. What would go round in a circle is refused.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/block' },
  cli: {
    command: 'block',
    group: 'Tasks',
    words: ['ref', 'by...'],
    examples: [
      ['taskroom block "Write the notes" "Fix the build" 3npr', 'wait for two tasks'],
      ['taskroom block "Fix the build"', 'inside a turn: its own task'],
    ],
    done: (_, { by }: { by: string }) => `waits for ${by}`,
  },
  input: () =>
    z.strictObject({
      ref: ref(),
      by: ref().meta({ description: 'id, name or title of what it waits for' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, by }, actor) =>
    (await import('../../tasks/change/set-keys.ts')).blockTask(on, task, by, actor),
});
