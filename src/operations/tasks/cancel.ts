import { operation, optional, ref, text } from '../operation.ts';

export const cancel = operation({
  summary: 'cancel a task',
  about:
    'Cancels a task and its subtasks: the status becomes canceled, and a turn that runs on it is stopped.',
  needs: 'write',
  level: 'full',
  cli: {
    words: ['ref...'],
    examples: {
      'taskroom cancel "Fix the build"': 'cancel by name',
      'taskroom cancel 3npr k2xm': 'cancel two tasks, by prefixes of their ids',
    },
    done: 'is canceled',
  },
  tool: {
    name: 'cancel_task',
    about: 'Cancel a task, with the reason. Its subtasks are canceled too.',
    names: { ref: 'id', outcome: 'reason' },
  },
  input: () => ({ ref: ref(), outcome: optional(text(), 'why, written under Outcome in the same step') }),
  run: async (on, { ref: task, ...words }, actor) =>
    (await import('../../tasks/change/status-change.ts')).setStatus(on, task, 'canceled', actor, words),
});
