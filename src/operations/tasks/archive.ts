import { operation, ref } from '../operation.ts';

export const archive = operation({
  summary: 'move a finished task to the archive',
  about:
    'Moves a finished task to archive/YYYY-MM/, its bytes unchanged. A running room does so by itself after a while.',
  needs: 'write',
  level: 'full',
  cli: {
    words: ['ref...'],
    examples: {
      'taskroom archive "Fix the build"': 'put a finished task away now',
      'taskroom archive 3npr --json': 'and print where it lies',
    },
    done: 'is in the archive',
  },
  input: () => ({ ref: ref() }),
  run: async (on, { ref: task }, actor) =>
    (await import('../../tasks/change/remove-task.ts')).archiveTask(on, task, actor),
});
