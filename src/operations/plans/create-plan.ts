import * as z from 'zod';
import { text } from '../../core/shapes.ts';
import { newStep } from '../../tasks/shapes/change.ts';
import { planChanged, toldPlan } from '../../tasks/shapes/room.ts';
import { operation } from '../operation.ts';

export const createPlan = operation({
  name: 'createPlan',
  summary: 'write a plan, a draft unless `stage` says otherwise',
  needs: 'create',
  http: { method: 'post', path: '/api/plans', status: 201 },
  cli: {
    command: 'plan new',
    words: ['name', 'body'],
    stdin: ['body'],
    flags: { steps: '--step <title>' },
    said: (made) => toldPlan(made, 'is written'),
  },
  tool: { name: 'create_plan', names: { body: 'text' } },
  input: () =>
    z.strictObject({
      name: text(),
      title: text().exactOptional().meta({ description: 'where it differs from the name' }),
      body: text().exactOptional().meta({ description: 'stands above its steps' }),
      steps: z
        .array(newStep())
        .exactOptional()
        .meta({ description: 'titles, of at most 60 characters each' }),
      stage: text()
        .exactOptional()
        .meta({ description: '`draft` when absent; with `final` its tasks are made' }),
      owner: text().exactOptional().meta({ description: 'who takes its tasks' }),
      sprint: text().exactOptional().meta({ description: 'of its tasks' }),
      scope: text().exactOptional().meta({ description: 'of its tasks' }),
    }),
  output: planChanged,
  run: async (on, plan, actor) =>
    (await import('../../tasks/plans/change-plan.ts')).createPlan(on, plan, actor),
});
