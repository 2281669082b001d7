import { defined } from '../../core/plain-data.ts';
import { entryInput } from '../../tasks/shapes/change.ts';
import { operation, optional, text } from '../operation.ts';

export const comment = operation({
  summary: 'add a comment',
  about:
    "Adds a comment with author and time under Comments. A person's comment on an open task asks for a turn of its agent, and one on a line of its diff opens a finished one again.",
  needs: 'comment',
  cli: {
    words: ['ref', 'text'],
    flags: { at: '--at <path:line>' },
    examples: {
      'taskroom comment "Fix the build" "Seen on the 2-core runner too."': 'add a comment',
      'taskroom comment 3npr --at src/build.js:12 "Why a copy?"': 'on a line of its diff',
      'taskroom comment "Which branch?"': 'inside a turn: on its own task',
    },
    done: ({ status }) => `has a new comment${status === undefined ? '' : ' and is open again'}`,
  },
  tool: {
    name: 'comment_task',
    about: 'Add a comment to any task. It reaches the requester where the comment service is true.',
    names: { ref: 'id' },
    without: ['at'],
  },
  input: () => entryInput().extend({ at: optional(text(), 'the line of its diff that is meant: path:line') }),
  async run(on, { at, ...input }, actor) {
    const { addEntry, placed } = await import('../../tasks/change/entry-change.ts');
    const text = at === undefined ? input.text : placed(input.text, at);
    const commented = await addEntry(on, 'comment', { ...input, text }, actor);
    if (at === undefined || actor.kind !== 'person') return commented;
    // What is said of a line of finished work is still to be done.
    const { setStatus } = await import('../../tasks/change/status-change.ts');
    const opened = await setStatus(on, input.ref, 'todo', actor, { onlyFinished: true });
    return opened.changed ? { ...commented, ...defined({ status: opened.status }) } : commented;
  },
});
