// Plans as lines of a terminal: a line each, or one with its steps and what became of them.
import { formatProblem, type Problem } from '../../../core/errors.ts';
import type { OutputOf } from '../../../operations/client.ts';
import type { PlanJson } from '../../../tasks/shapes/room.ts';
import { cleanLine, fit, plural, truncate } from '../lines/display-text.ts';
import type { Paint } from '../paint.ts';

const NAME_CELLS = 32;
const STAGE_CELLS = 10;

export function planLines(
  { plans, invalid }: OutputOf<'listPlans'>,
  paint: Paint,
  columns: number | null,
): string[] {
  if (plans.length + invalid.length === 0) return [paint('dim', 'no plans')];
  const rows = plans.flatMap((plan) => [
    `  ${fit(cleanLine(plan.name), NAME_CELLS)}  ${fit(cleanLine(plan.stage), STAGE_CELLS)}  ${truncate(
      factsOf(plan),
      columns === null ? null : columns - NAME_CELLS - STAGE_CELLS - 6,
    )}`.trimEnd(),
    ...problemLine(plan, paint),
  ]);
  const broken = invalid.flatMap(({ problems }) =>
    problems.map((problem) => `  ${paint('red', '!')} ${cleanLine(formatProblem(problem as Problem))}`),
  );
  return [...rows, ...broken];
}

export function planDetailLines(plan: OutputOf<'showPlan'>, paint: Paint): string[] {
  const title = plan.title === null ? '' : `  ${cleanLine(plan.title)}`;
  const steps = plan.step_list.map(({ title: words, done, task, status }, index) => {
    const sign = done || status === 'done' ? '✓' : '☐';
    const linked = task === null ? '' : paint('dim', `  ${task} ${status ?? 'not found'}`);
    return `  ${sign} ${index + 1}. ${cleanLine(words)}${linked}`;
  });
  return [
    `${cleanLine(plan.name)}${title}`,
    paint('dim', `  ${plan.path} · ${cleanLine(plan.stage)} · ${factsOf(plan)}`),
    ...problemLine(plan, paint),
    ...steps,
  ];
}

function factsOf({ steps, tasks, sprint, scope, owner }: PlanJson): string {
  const parts = [
    tasks.total === 0 ? plural(steps, 'step') : `${tasks.done} of ${plural(tasks.total, 'task')} done`,
    sprint === null ? null : `sprint ${cleanLine(sprint)}`,
    scope === null ? null : `scope ${cleanLine(scope)}`,
    owner === null ? null : `for ${cleanLine(owner)}`,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

function problemLine({ problem }: PlanJson, paint: Paint): string[] {
  return problem === null ? [] : [`    ${paint('red', '!')} ${cleanLine(problem)}`];
}
