import type { Subject } from '../operation.ts';

export const subject: Subject = {
  command: 'token',
  summary: 'make tokens for programs and other machines',
  about:
    'Makes tokens of the API for programs and other machines, lists them, and revokes them. Your own lies in .taskroom/token.',
  examples: [
    ['taskroom token new laptop', 'all that you may do, from another machine'],
    ['taskroom token new board --readonly', 'for a board on the wall'],
    ['taskroom token new ci --task 3npr --days 7', 'a build that reports to one task, for a week'],
  ],
};
