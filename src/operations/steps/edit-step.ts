import * as z from 'zod';
import { count, ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const editStep = operation({
  name: 'editStep',
  summary: 'tick, untick or reword one step',
  about: 'Changes title, details or tick of one step; its link stays.',
  needs: 'write',
  http: { method: 'patch', path: '/api/tasks/{ref}/steps/{index}' },
  tool: { name: 'update_step', names: { ref: 'id' } },
  input: () =>
    z.strictObject({
      ref: ref(),
      index: count().meta({ description: 'from 0' }),
      title: text().exactOptional(),
      details: text().exactOptional(),
      done: z.boolean().exactOptional(),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, index, ...change }, actor) =>
    (await import('../../tasks/change/steps.ts')).editStep(on, task, index, change, actor),
});
