import { entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const outcome = operation({
  summary: 'add an entry to Outcome',
  about: 'Adds a dated entry under Outcome: what came out of the task. The status stays as it is; see done.',
  needs: 'write',
  cli: {
    words: ['ref', 'text'],
    examples: {
      'taskroom outcome "The build is green again; the cache key was wrong."':
        'inside a turn: on its own task',
      'taskroom outcome 3npr - < summary.md': 'on a named task, from a file',
    },
    done: 'has an outcome',
  },
  input: entryInput,
  run: async (on, input, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(on, 'outcome', input, actor),
});
