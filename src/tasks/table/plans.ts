// Plans: documents whose steps become tasks.
import * as z from 'zod';
import { none, operation, text } from './entry.ts';

const planStep = z.strictObject({ title: text, details: text.exactOptional() });

const newPlan = z.strictObject({
  name: text,
  title: text.exactOptional(),
  body: text.exactOptional(),
  steps: z.array(planStep).exactOptional(),
  stage: text.exactOptional(),
  owner: text.exactOptional(),
  sprint: text.exactOptional(),
  scope: text.exactOptional(),
});

const onPlan = z.strictObject({ name: text });

export const PLANS = [
  operation('createPlan', 'create', 'readonly', z.strictObject({ plan: newPlan }), (on, { plan }, actor) =>
    on.createPlan(plan, actor),
  ),
  operation('plans', 'read', 'minimal', none, (on) => on.plans()),
  operation('plan', 'read', 'minimal', onPlan, (on, { name }) => on.plan(name)),
  operation(
    'setPlanStage',
    'create',
    'readonly',
    z.strictObject({ name: text, stage: text }),
    (on, { name, stage }, actor) => on.setPlanStage(name, stage, actor),
  ),
  operation('removePlan', 'write', 'full', onPlan, (on, { name }, actor) => on.removePlan(name, actor)),
];
