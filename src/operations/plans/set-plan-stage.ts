import { planChanged, planChangeLines, planName } from '../../tasks/shapes/room.ts';
import { operation, text } from '../operation.ts';

export const setPlanStage = operation({
  summary: 'move a plan to a stage; `final` makes a task of each step that has none',
  needs: 'create',
  http: { method: 'patch', path: '/api/plans/{name}' },
  cli: [
    {
      command: 'plan stage',
      words: ['name', 'stage'],
      said: (made) => planChangeLines(made, `is ${made.stage}`),
    },
    {
      command: 'plan final',
      words: ['name'],
      given: { stage: 'final' },
      said: (made) => planChangeLines(made, `is ${made.stage}`),
    },
  ],
  tool: { name: 'set_plan_stage', names: { name: 'id' }, given: { stage: 'final' } },
  input: () => ({ name: planName(), stage: text() }),
  output: planChanged,
  run: async (on, { name, stage }, actor) =>
    (await import('../../tasks/plans/change-plan.ts')).setPlanStage(on, name, stage, actor),
});
