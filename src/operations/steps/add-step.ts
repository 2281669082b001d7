import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const addStep = operation({
  name: 'addStep',
  summary: 'add a step at the end',
  about: 'A title has at most 60 characters.',
  needs: 'write',
  http: { method: 'post', path: '/api/tasks/{ref}/steps' },
  input: () =>
    z.strictObject({
      ref: ref(),
      title: text(),
      details: text().exactOptional(),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, title, details }, actor) =>
    (await import('../../tasks/change/steps.ts')).addStep(on, task, title, actor, details),
});
