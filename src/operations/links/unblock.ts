import { operation, ref } from '../operation.ts';

export const unblock = operation({
  summary: 'let a task no longer wait for others',
  about: 'Lets a task no longer wait for others; one that waits for nothing else may run.',
  needs: 'write',
  cli: {
    hidden: true,
    words: ['ref', 'by...'],
    examples: {
      'taskroom unblock "Write the notes" "Fix the build" 3npr': 'wait for neither any more',
      'taskroom unblock "Fix the build"': 'inside a turn: its own task',
    },
    done: (_, { by }: { by: string }) => `no longer waits for ${by}`,
  },
  input: () => ({ ref: ref(), by: ref('id, name or title of what it waited for') }),
  run: async (on, { ref: task, by }, actor) =>
    (await import('../../tasks/change/set-keys.ts')).unblockTask(on, task, by, actor),
});
