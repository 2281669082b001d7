import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const describe = operation({
  name: 'describe',
  summary: 'say anew what is to be done',
  about:
    'Puts a new text under Task, in the place of the old one. New words are a new assignment: the task is due again unless it is over.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/describe' },
  cli: {
    command: 'describe',
    group: 'Tasks',
    words: ['ref', 'text'],
    stdin: ['text'],
    flags: { only: null },
    examples: [
      ['taskroom describe "Fix the build" "CI fails on main since Monday, on arm64 only."', 'say it anew'],
      ['taskroom describe 3npr - < brief.md', 'from a file'],
    ],
    done: 'says something else',
  },
  input: () =>
    z.strictObject({
      ref: ref(),
      text: text(),
      only: text()
        .exactOptional()
        .meta({ description: 'the hash of the text of the file that this is to be made on' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, text: words, only }, actor) =>
    (await import('../../tasks/change/entry-change.ts')).describeTask(on, task, words, actor, only),
});
