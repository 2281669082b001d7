// Plans in artifacts/.
import type { Case } from './case.ts';

export const PLANS: Record<string, Case> = {
  plans: async (tasks, actor) => [
    await tasks.createPlan({ name: 'Ship', steps: [{ title: 'One more' }, { title: 'Two' }] }, actor),
    await tasks.setPlanStage('Ship', 'final', actor),
    (await tasks.plan('Ship')).tasks,
    (await tasks.plans()).plans,
    (await tasks.removePlan('Ship', actor)).unlinked,
  ],
  'plans, nothing there': (tasks, actor) => tasks.setPlanStage('Nowhere', 'final', actor),
  'plans, a bad owner': (tasks, actor) => tasks.createPlan({ name: 'Ship', owner: 'nobody' }, actor),
};
