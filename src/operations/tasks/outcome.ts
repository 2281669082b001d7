import { changedAnswer, entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const outcome = operation({
  name: 'outcome',
  summary: 'add an entry to Outcome',
  about: 'Adds a dated entry under Outcome: what came out of the task. The status stays as it is; see done.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/outcome' },
  cli: {
    command: 'outcome',
    group: 'Reports',
    words: ['ref', 'text'],
    stdin: ['text'],
    flags: { key: null },
    examples: [
      [
        'taskroom outcome "The build is green again; the cache key was wrong."',
        'inside a turn: on its own task',
      ],
      ['taskroom outcome 3npr - < summary.md', 'on a named task, from a file'],
    ],
    done: 'has an outcome',
  },
  input: entryInput,
  output: changedAnswer,
  run: async (on, input, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(on, 'outcome', input, actor),
});
