import { changedAnswer, entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const comment = operation({
  name: 'comment',
  summary: 'add a comment',
  about:
    "Adds a comment with author and time under Comments. A person's comment on an open task asks for a turn of its agent.",
  needs: 'comment',
  http: { method: 'post', path: '/api/tasks/{ref}/comment' },
  cli: {
    command: 'comment',
    group: 'Reports',
    words: ['ref', 'text'],
    stdin: ['text'],
    flags: { key: null },
    examples: [
      ['taskroom comment "Fix the build" "Seen on the 2-core runner too."', 'add a comment'],
      ['taskroom comment 3npr - < notes.txt', 'from a file'],
      ['taskroom comment "Which branch?"', 'inside a turn: on its own task'],
    ],
    done: 'has a new comment',
  },
  tool: {
    name: 'comment_task',
    about: 'Add a comment to any task. It reaches the requester where the comment service is true.',
    names: { ref: 'id' },
    without: ['key'],
  },
  input: entryInput,
  output: changedAnswer,
  run: async (on, input, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(on, 'comment', input, actor),
});
