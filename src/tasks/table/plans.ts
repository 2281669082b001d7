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
  operation('createPlan', 'create', z.strictObject({ plan: newPlan }), (on, { plan }, actor) =>
    on.createPlan(plan, actor),
  ),
  operation('plans', 'read', none, (on) => on.plans()),
  operation('plan', 'read', onPlan, (on, { name }) => on.plan(name)),
  operation(
    'setPlanStage',
    'create',
    z.strictObject({ name: text, stage: text }),
    (on, { name, stage }, actor) => on.setPlanStage(name, stage, actor),
  ),
  operation('removePlan', 'write', onPlan, (on, { name }, actor) => on.removePlan(name, actor)),
];
