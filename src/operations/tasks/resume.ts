import { operation, ref } from '../operation.ts';

export const resume = operation({
  summary: 'let a paused task run again',
  about: 'Lets a paused task run again; failed attempts before count no more.',
  needs: 'write',
  cli: {
    words: ['ref...'],
    examples: {
      'taskroom resume "Fix the build"': 'go on',
      'taskroom resume 3npr': 'the same by a prefix of its id',
    },
    done: 'may run again',
  },
  input: () => ({ ref: ref() }),
  run: async (on, { ref: task }, actor) =>
    (await import('../../tasks/change/status-change.ts')).resumeTask(on, task, actor),
});
