import { newPlan, planChanged, planChangeLines } from '../../tasks/shapes/room.ts';
import { operation } from '../operation.ts';

export const createPlan = operation({
  summary: 'write a plan, a draft unless `stage` says otherwise',
  needs: 'create',
  http: { method: 'post', path: '/api/plans', status: 201 },
  cli: {
    command: 'plan new',
    words: ['name', 'body'],
    stdin: ['body'],
    said: (made) => planChangeLines(made, 'is written'),
  },
  tool: { name: 'create_plan', names: { body: 'text' } },
  input: newPlan,
  output: planChanged,
  run: async (on, plan, actor) =>
    (await import('../../tasks/plans/change-plan.ts')).createPlan(on, plan, actor),
});
