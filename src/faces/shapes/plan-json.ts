// What --json prints of plans.
import { snakeKeys } from '../../core/snake-keys.ts';
import type { PlanDetail, PlanView } from '../../tasks/contract/plans.ts';

export function planJson(view: PlanView) {
  return snakeKeys(view) as Record<string, unknown>;
}

/** `plan show`: its steps as a list, with the status of their tasks. */
export function planDetailJson({ stepList, text, ...view }: PlanDetail) {
  return { ...planJson(view), step_list: stepList, text };
}
