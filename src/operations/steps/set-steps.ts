import * as z from 'zod';
import { ref, text } from '../../core/shapes.ts';
import { changedAnswer } from '../../tasks/shapes/change.ts';
import { operation } from '../operation.ts';

export const setSteps = operation({
  name: 'setSteps',
  summary: 'set the whole plan of a task',
  about:
    'Titles have at most 60 characters. A step that links a subtask keeps its link by its title and may not be left out.',
  needs: 'write',
  http: { method: 'put', path: '/api/tasks/{ref}/steps' },
  tool: { name: 'update_steps', names: { ref: 'id' } },
  input: () =>
    z.strictObject({
      ref: ref(),
      steps: z
        .array(
          text()
            .transform((title) => ({ title }))
            .or(
              z.strictObject({
                title: text(),
                details: text().exactOptional(),
                done: z.boolean().exactOptional(),
                task: text().nullable().exactOptional(),
              }),
            ),
        )
        .max(200),
    }),
  output: changedAnswer,
  run: async (on, { ref: task, steps }, actor) =>
    (await import('../../tasks/change/steps.ts')).setSteps(on, task, steps, actor),
});
