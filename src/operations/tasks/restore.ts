import { operation, optional, ref, z } from '../operation.ts';

export const restore = operation({
  summary: 'bring back what a task said before',
  about:
    'Brings a deleted task back, or what a task said before a change that you made in the last 30 days, whatever was changed since. What that replaces is kept in .taskroom/attic/.',
  needs: 'person',
  cli: {
    words: ['ref'],
    examples: {
      'taskroom restore "Fix the build"': 'out of the attic, or as before your last change of it',
      'taskroom restore 3npr --back 3': 'as before the last three',
    },
    done: ({ attic, path }) =>
      attic === undefined
        ? `is back: ${path}`
        : `says what it said before; what that replaced lies in ${attic}`,
  },
  input: () => ({
    ref: ref(),
    back: optional(z.int().min(1), 'how many of your changes back; 1 when absent'),
  }),
  run: async (on, { ref: task, back }, actor) =>
    (await import('../../tasks/change/undo.ts')).restoreTask(on, task, actor, back),
});
