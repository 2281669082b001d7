import { newStep } from '../../tasks/shapes/change.ts';
import { planChanged, planChangeLines } from '../../tasks/shapes/room.ts';
import { operation, optional, text, z } from '../operation.ts';

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
  input: () => ({
    name: text(),
    title: optional(text(), 'where it differs from the name'),
    body: optional(text(), 'stands above its steps'),
    steps: optional(z.array(newStep()), 'titles, of at most 60 characters each'),
    stage: optional(text(), '`draft` when absent; with `final` its tasks are made'),
    owner: optional(text(), 'who takes its tasks'),
    sprint: optional(text(), 'of its tasks'),
    scope: optional(text(), 'of its tasks'),
  }),
  output: planChanged,
  run: async (on, plan, actor) =>
    (await import('../../tasks/plans/change-plan.ts')).createPlan(on, plan, actor),
});
