import type { Subject } from '../operation.ts';

export const subject: Subject = {
  command: 'chores',
  summary: 'list the chores, or run one now',
  about: 'Lists the chores with their last run and their next, or runs one now.',
  examples: [
    ['taskroom chores', 'all chores of the room'],
    ['taskroom chores run web-issues', 'sync a mirror, or give a prompt its turn, now'],
    ["taskroom chores --json | jq '.chores[] | select(.failures > 0)'", 'those that fail'],
  ],
};
