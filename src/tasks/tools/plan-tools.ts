// Tools for plans: documents whose steps become tasks once they are final (C3).
import * as z from 'zod';
import { oneLine } from '../../core/context/fence.ts';
import { FINAL_STAGE } from '../../core/task/artifact.ts';
import type { PlanChanged } from '../contract/plans.ts';
import { given, listOf, text } from './inputs.ts';
import { type Tool, tool } from './tool.ts';

const STEP = z.strictObject({ title: text, details: text.optional() });

export const CREATE_PLAN = tool(
  'create_plan',
  'readonly',
  'Write a plan, a draft unless `stage` says otherwise.',
  z.strictObject({
    name: text,
    text: text.optional(),
    steps: listOf(STEP, 200).optional(),
    stage: text.optional(),
    owner: text.optional().describe('of its tasks'),
    sprint: text.optional(),
    scope: text.optional(),
  }),
  async ({ tasks, actor }, { name, text: body, steps, ...plan }) => {
    const titled = steps?.map(({ title, details }) => ({ title, ...given({ details }) }));
    return planText(await tasks.createPlan({ name, ...given({ ...plan, body, steps: titled }) }, actor));
  },
);

function stageTool(name: string): Tool {
  return tool(
    name,
    'readonly',
    'Move a plan to a stage; `final` makes a task of each of its steps.',
    z.strictObject({
      id: text.describe('name of the plan'),
      stage: text.optional().describe('final when left out'),
    }),
    async ({ tasks, actor }, { id, stage = FINAL_STAGE }) =>
      planText(await tasks.setPlanStage(id, stage, actor)),
  );
}

export const SET_PLAN_STAGE = stageTool('set_plan_stage');
export const ARTIFACT_STAGE = stageTool('artifact_stage');

function planText({ made, ...plan }: PlanChanged): string {
  return JSON.stringify({ ...plan, made: made.map(({ id, name }) => ({ id, name: oneLine(name) })) });
}
