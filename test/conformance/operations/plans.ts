// Plans in artifacts/.
import type { Case } from './case.ts';

export const PLANS: Record<string, Case> = {
  plans: async (call) => [
    await call('createPlan', { name: 'Ship', steps: [{ title: 'One more' }, { title: 'Two' }] }),
    await call('setPlanStage', { name: 'Ship', stage: 'final' }),
    (await call('showPlan', { name: 'Ship' })).tasks,
    (await call('listPlans', {})).plans,
    (await call('removePlan', { name: 'Ship' })).unlinked,
  ],
  'plans, nothing there': (call) => call('setPlanStage', { name: 'Nowhere', stage: 'final' }),
  'plans, a bad owner': (call) => call('createPlan', { name: 'Ship', owner: 'nobody' }),
};
