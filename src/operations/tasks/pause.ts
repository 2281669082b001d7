import { operation, optional, ref, text } from '../operation.ts';

export const pause = operation({
  summary: 'keep a task from running',
  about: 'Keeps a task from running until it is resumed. A turn that runs on it is stopped.',
  needs: 'write',
  cli: {
    words: ['ref...'],
    examples: {
      'taskroom pause "Fix the build"': 'let it rest',
      'taskroom pause 3npr --reason "waiting for the new runner"': 'and say why',
    },
    done: 'is paused',
  },
  input: () => ({ ref: ref(), reason: optional(text(), 'why, written under Progress') }),
  run: async (on, { ref: task, reason }, actor) =>
    (await import('../../tasks/change/status-change.ts')).pauseTask(on, task, actor, reason),
});
