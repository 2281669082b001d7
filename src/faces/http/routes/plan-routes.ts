// Plans: documents whose steps become tasks.
import * as z from 'zod';
import type { NewPlan } from '../../../tasks/contract/plans.ts';
import { planDetailJson, planJson } from '../../shapes/plan-json.ts';
import { planChanged, planDetailAnswer, planRemoved, plansAnswer } from '../answers/plan-answers.ts';
import { look, route } from '../gate/route.ts';

const text = z.string();
const onPlan = z.strictObject({ name: text });

const newPlan = z
  .strictObject({
    name: text,
    title: text.exactOptional(),
    body: text.exactOptional().meta({ description: 'stands above its steps' }),
    steps: z.array(z.strictObject({ title: text, details: text.exactOptional() })).exactOptional(),
    stage: text.exactOptional().meta({ description: '`draft` when absent; with `final` its tasks are made' }),
    owner: text.exactOptional(),
    sprint: text.exactOptional(),
    scope: text.exactOptional(),
  })
  .meta({ id: 'NewPlan' });

export const PLAN_ROUTES = [
  look(
    {
      ...{ path: '/api/plans', id: 'listPlans', about: 'The plans of the room.', group: 'room' },
      ...{ told: 'The plans.', schema: plansAnswer },
    },
    async ({ tasks }) => {
      const { plans, invalid } = await tasks.plans();
      return { plans: plans.map(planJson), invalid };
    },
  ),
  route({
    method: 'get',
    path: '/api/plans/:name',
    id: 'showPlan',
    about: 'One plan with its steps.',
    group: 'room',
    needs: 'look',
    params: onPlan,
    answers: { 200: { about: 'The plan.', schema: planDetailAnswer } },
    run: async ({ tasks }, { params }) => ({ body: planDetailJson(await tasks.plan(params.name)) }),
  }),
  route({
    method: 'post',
    path: '/api/plans',
    id: 'createPlan',
    about: 'Writes a plan.',
    group: 'room',
    needs: 'change',
    body: newPlan,
    answers: { 201: { about: 'It is written.', schema: planChanged } },
    async run({ tasks, caller }, { body }) {
      return { status: 201, body: await tasks.createPlan(body satisfies NewPlan, caller.actor) };
    },
  }),
  route({
    method: 'patch',
    path: '/api/plans/:name',
    id: 'setPlanStage',
    about: 'Sets the stage of a plan; with `final` each step that has no task yet gets one.',
    group: 'room',
    needs: 'change',
    params: onPlan,
    body: z.strictObject({ stage: text }),
    answers: { 200: { about: 'What came of it.', schema: planChanged } },
    run: async ({ tasks, caller }, { params, body }) => ({
      body: await tasks.setPlanStage(params.name, body.stage, caller.actor),
    }),
  }),
  route({
    method: 'delete',
    path: '/api/plans/:name',
    id: 'removePlan',
    about: 'Moves a plan to the attic; its tasks stay and no longer name it.',
    group: 'room',
    needs: 'change',
    params: onPlan,
    answers: { 200: { about: 'Where it lies now.', schema: planRemoved } },
    run: async ({ tasks, caller }, { params }) => ({
      body: await tasks.removePlan(params.name, caller.actor),
    }),
  }),
];
