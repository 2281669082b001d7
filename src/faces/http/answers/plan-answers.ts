// What the API answers of plans, as schemas.
import * as z from 'zod';
import { planStep, unreadable } from './task-answers.ts';

const text = z.string();
const count = z.int().min(0);

const planFields = {
  name: text,
  title: text.nullable(),
  path: text,
  stage: text,
  owner: text.nullable(),
  sprint: text.nullable(),
  scope: text.nullable(),
  created_by: text.nullable(),
  steps: count,
  tasks: z.strictObject({ done: count, total: count }).meta({ description: 'those its steps are linked to' }),
  problem: text.nullable().meta({ description: 'why no tasks could be made of it' }),
};

const planAnswer = z.strictObject(planFields).meta({ id: 'Plan' });

export const plansAnswer = z.strictObject({ plans: z.array(planAnswer), invalid: z.array(unreadable) });

export const planDetailAnswer = z
  .strictObject({
    ...planFields,
    step_list: z.array(planStep),
    text: text.meta({ description: 'the whole file' }),
  })
  .meta({ id: 'PlanDetail' });

export const planChanged = z
  .strictObject({
    name: text,
    path: text,
    stage: text,
    changed: z.boolean(),
    made: z.array(z.strictObject({ id: text, name: text })),
  })
  .meta({ id: 'PlanChanged' });

export const planRemoved = z
  .strictObject({
    name: text,
    path: text,
    attic: text.nullable().meta({ description: 'where the file lies now; null when it was gone' }),
    unlinked: count.meta({ description: 'tasks that named it and do no more' }),
  })
  .meta({ id: 'PlanRemoved' });
