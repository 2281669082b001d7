import { linked } from '../../core/chore-shapes.ts';
import { operation, optional, ref, text } from '../operation.ts';

export const link = operation({
  summary: 'make a task the mirror of an issue',
  about:
    'Makes a task the mirror of an issue that is there already, and syncs the two. Where they differ both texts are kept.',
  needs: 'person',
  cli: {
    command: 'mirror link',
    aliases: ['link'],
    words: ['ref', 'url'],
    asksTracker: true,
    examples: {
      'taskroom mirror link "Fix the login" https://github.com/acme/web/issues/12': 'this task is that issue',
      'taskroom mirror link 3npr ENG-42 --chore eng-issues': 'by reference',
    },
    notes: 'With --json: {"task","provider","ref","url","chore"}.',
    said: ({ task, ref: issue, url }) => [`${task} mirrors ${issue}${url === null ? '' : ` ${url}`}`],
  },
  input: () => ({
    ref: ref(),
    url: text("the issue's address, or its reference such as acme/web#12"),
    chore: optional(text(), 'the chore that governs it; else the one whose source fits'),
  }),
  output: linked,
  run: async ({ ports }, { ref: task, url, chore }) => (await ports.mirrors!()).link(task, url, chore),
});
