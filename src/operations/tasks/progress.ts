import { changedAnswer, entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const progress = operation({
  name: 'progress',
  summary: 'add an entry to Progress',
  about: 'Adds a dated entry under Progress. It starts no turn.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/progress' },
  cli: {
    command: 'progress',
    group: 'Reports',
    words: ['ref', 'text'],
    stdin: ['text'],
    flags: { key: null },
    examples: [
      ['taskroom progress "Found the failing test."', 'inside a turn: on its own task'],
      ['taskroom progress 3npr "Half of the files are moved."', 'on a named task'],
      ['taskroom progress - < report.txt', 'from stdin'],
    ],
    done: 'has new progress',
  },
  input: entryInput,
  output: changedAnswer,
  run: async (on, input, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(on, 'progress', input, actor),
});
