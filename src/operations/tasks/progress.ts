import { entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const progress = operation({
  summary: 'add an entry to Progress',
  about: 'Adds a dated entry under Progress. It starts no turn.',
  needs: 'write',
  cli: {
    words: ['ref', 'text'],
    examples: {
      'taskroom progress "Found the failing test."': 'inside a turn: on its own task',
      'taskroom progress 3npr "Half of the files are moved."': 'on a named task',
      'taskroom progress - < report.txt': 'from stdin',
    },
    done: 'has new progress',
  },
  input: entryInput,
  run: async (on, input, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(on, 'progress', input, actor),
});
