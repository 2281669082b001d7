import { quoteWord } from '../../core/errors.ts';
import { operation, ref } from '../operation.ts';

export const reopen = operation({
  summary: 'open a finished task again',
  about:
    'Opens a finished task again: its status becomes todo, and it gets a turn. One that is not over stays as it is, and one that was paused stays paused. Agents may not.',
  needs: 'write',
  cli: {
    words: ['ref...'],
    examples: {
      'taskroom reopen "Fix the build"': 'open a done or canceled task again',
      'taskroom reopen 3npr --json': 'the same for a script',
    },
    done: ({ changed, status, paused, name }) => {
      const open = changed ? 'is open again' : `is ${status} and not over`;
      return paused ? `${open}, and paused: taskroom resume ${quoteWord(name)} lets it run` : open;
    },
  },
  input: () => ({ ref: ref() }),
  run: async (on, { ref: task }, actor) =>
    (await import('../../tasks/change/status-change.ts')).setStatus(on, task, 'todo', actor, {
      onlyFinished: true,
    }),
});
