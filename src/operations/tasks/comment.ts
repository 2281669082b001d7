import { entryInput } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const comment = operation({
  summary: 'add a comment',
  about:
    "Adds a comment with author and time under Comments. A person's comment on an open task asks for a turn of its agent.",
  needs: 'comment',
  cli: {
    words: ['ref', 'text'],
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
  },
  input: entryInput,
  run: async (on, input, actor) =>
    (await import('../../tasks/change/entry-change.ts')).addEntry(on, 'comment', input, actor),
});
