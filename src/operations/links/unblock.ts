import * as z from 'zod';
import { ref } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const unblock = operation({
  name: 'unblock',
  summary: 'let a task no longer wait for others',
  about: 'Lets a task no longer wait for others; one that waits for nothing else may run.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/unblock' },
  cli: {
    command: 'unblock',
    group: 'Tasks',
    words: ['ref', 'by...'],
    examples: [
      ['taskroom unblock "Write the notes" "Fix the build" 3npr', 'wait for neither any more'],
      ['taskroom unblock "Fix the build"', 'inside a turn: its own task'],
    ],
    done: (_, { by }: { by: string }) => `no longer waits for ${by}`,
  },
  input: () =>
    z.strictObject({
      ref: ref(),
      by: ref().meta({ description: 'id, name or title of what it waited for' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, by }, actor) =>
    (await import('../../tasks/change/set-keys.ts')).unblockTask(on, task, by, actor),
});
