import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const pause = operation({
  name: 'pause',
  summary: 'keep a task from running',
  about: 'Keeps a task from running until it is resumed. A turn that runs on it is stopped.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/pause' },
  cli: {
    command: 'pause',
    group: 'Tasks',
    words: ['ref...'],
    examples: [
      ['taskroom pause "Fix the build"', 'let it rest'],
      ['taskroom pause 3npr --reason "waiting for the new runner"', 'and say why'],
    ],
    done: 'is paused',
  },
  input: () =>
    z.strictObject({
      ref: ref(),
      reason: text().exactOptional().meta({ description: 'why, written under Progress' }),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, reason }, actor) =>
    (await import('../../tasks/change/status-change.ts')).pauseTask(on, task, actor, reason),
});
