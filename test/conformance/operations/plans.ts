// Plans in artifacts/.
import type { Case } from './case.ts';

export const PLANS: Record<string, Case> = {
  plans: async (tasks, actor) => [
    await tasks.call('createPlan', { name: 'Ship', steps: [{ title: 'One more' }, { title: 'Two' }] }, actor),
    await tasks.call('setPlanStage', { name: 'Ship', stage: 'final' }, actor),
    (await tasks.call('showPlan', { name: 'Ship' }, actor)).tasks,
    (await tasks.call('listPlans', {}, actor)).plans,
    (await tasks.call('removePlan', { name: 'Ship' }, actor)).unlinked,
  ],
  'plans, nothing there': (tasks, actor) =>
    tasks.call('setPlanStage', { name: 'Nowhere', stage: 'final' }, actor),
  'plans, a bad owner': (tasks, actor) => tasks.call('createPlan', { name: 'Ship', owner: 'nobody' }, actor),
};
