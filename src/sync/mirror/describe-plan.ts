// What a dry run would do, in lines for people.
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import type { TaskFile } from '../file/task-file.ts';
import { comesDown, goesUp } from '../plan/decide-field.ts';
import type { MirrorPlan } from '../plan/plan-data.ts';
import { type SyncPass, skip } from '../sync-pass.ts';

/** Adds the lines of one mirror's plan to the report. */
export function describePlan(pass: SyncPass, row: MirrorRow, file: TaskFile, plan: MirrorPlan): void {
  const { report, options } = pass;
  const ref = `${row.provider}:${row.ref}`;
  const down = [...fieldsOf(plan, comesDown), ...counted(plan.local?.newComments.length ?? 0, 'new comment')];
  const edited = (plan.local?.editedComments.length ?? 0) + (plan.local?.deletedComments.length ?? 0);
  down.push(...counted(edited, 'changed comment'));
  if (plan.local?.remote !== undefined) down.push('remote');
  if (plan.local?.paused) down.push('paused');
  if (down.length > 0) {
    report.updated += 1;
    report.plan.push(`update ${file.path} from ${ref}: ${down.join(', ')}`);
  }
  for (const { field, side } of plan.losses) {
    report.conflicts += 1;
    report.plan.push(`conflict in ${file.path}: ${field}, the ${side} text would be kept in the attic`);
  }
  for (const { field, why } of plan.skipped) skip(pass, { ref: row.ref, task: row.task, what: field, why });
  if (!options.push) return;
  const up = Object.keys(plan.push ?? {});
  if (up.length > 0) {
    report.pushed += 1;
    report.plan.push(`push ${file.path} to ${ref}: ${up.join(', ')}`);
  }
  for (const push of plan.comments) {
    report.commentsOut += 1;
    const what = push.kind === 'entry' ? 'comment' : push.kind === 'edit' ? 'edited comment' : push.kind;
    report.plan.push(`post ${what} of ${file.path} to ${ref}`);
  }
}

function fieldsOf(plan: MirrorPlan, test: typeof comesDown): string[] {
  return plan.decisions.filter(({ reason }) => test(reason)).map(({ field }) => field);
}

function counted(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
}

/** Which sides' fields a plan would change; comments, Progress and Outcome only add and don't count. */
export function sidesChanged(plan: MirrorPlan): { remote: boolean; local: boolean } {
  return {
    remote: plan.decisions.some(({ reason }) => comesDown(reason)),
    local: plan.decisions.some(({ reason }) => goesUp(reason)) && plan.push !== null,
  };
}
