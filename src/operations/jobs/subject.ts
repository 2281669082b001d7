import type { Subject } from '../operation.ts';

export const subject: Subject = {
  command: 'job',
  summary: 'shell commands in the background',
  about:
    'Background jobs: shell commands of a task, run in the folder its agent works in, with their output on disk. A job ends with the turn that starts it, unless it is kept.',
  examples: [
    ['taskroom job start "npm run build" --task web', 'start one; its id is printed'],
    ['taskroom job show b3k --wait 30', 'its state and output, once it ended or after 30 s'],
    ['taskroom job stop b3k', 'end it: TERM, 5 s, KILL'],
  ],
};
