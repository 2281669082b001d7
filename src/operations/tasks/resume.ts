import * as z from 'zod';
import { ref } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const resume = operation({
  name: 'resume',
  summary: 'let a paused task run again',
  about: 'Lets a paused task run again; failed attempts before count no more.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/resume' },
  cli: {
    command: 'resume',
    group: 'Tasks',
    words: ['ref...'],
    examples: [
      ['taskroom resume "Fix the build"', 'go on'],
      ['taskroom resume 3npr', 'the same by a prefix of its id'],
    ],
    done: 'may run again',
  },
  input: () => z.strictObject({ ref: ref() }),
  output: changedAnswer,
  run: async (on, { ref: task }, actor) =>
    (await import('../../tasks/change/status-change.ts')).resumeTask(on, task, actor),
});
