import * as z from 'zod';
import { ref } from '../../core/shapes.ts';
import { quoteWord } from '../../core/shell-word.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const reopen = operation({
  name: 'reopen',
  summary: 'open a finished task again',
  about:
    'Opens a finished task again: its status becomes todo, and it gets a turn. One that is not over stays as it is, and one that was paused stays paused. Agents may not.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/reopen' },
  cli: {
    command: 'reopen',
    group: 'Tasks',
    words: ['ref...'],
    examples: [
      ['taskroom reopen "Fix the build"', 'open a done or canceled task again'],
      ['taskroom reopen 3npr --json', 'the same for a script'],
    ],
    done: ({ changed, status, paused, name }) => {
      const open = changed ? 'is open again' : `is ${status} and not over`;
      return paused ? `${open}, and paused: taskroom resume ${quoteWord(name)} lets it run` : open;
    },
  },
  input: () => z.strictObject({ ref: ref() }),
  output: changedAnswer,
  run: async (on, { ref: task }, actor) =>
    (await import('../../tasks/change/status-change.ts')).setStatus(on, task, 'todo', actor, {
      onlyFinished: true,
    }),
});
