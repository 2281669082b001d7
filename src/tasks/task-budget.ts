// A task's own budget, and how far it is used up. It counts from the task's beginning, or from when it was last resumed.
import type { Budget } from '../core/config/budget.ts';
import { type TaskId, threadOfTask } from '../core/ids.ts';
import { reachedBound, type Spent } from '../core/rules/budget.ts';
import type { TaskRoom } from './task-room.ts';

type Deps = Pick<TaskRoom, 'ledger' | 'effects' | 'config'>;

/** What its file says, as it was last observed, else what the room gives each task. */
export function taskBudgetOf({ ledger, config }: Deps, id: TaskId): Budget | null {
  const path = ledger.tasks.get(id)?.path ?? null;
  const reading = path === null ? undefined : ledger.files.get(path)?.reading;
  return (reading?.ok ? reading.task.budget : null) ?? config().budgets.perTask;
}

/** What its turns used of it. */
export function taskSpending({ ledger, effects }: Deps, id: TaskId): Spent {
  return ledger.spending.of(threadOfTask(id), effects.now());
}

/** The bound that is reached (`30 of 30 turns`), for its next turn or a running one; null while something is left. */
export function usedUpBudget(deps: Deps, id: TaskId, of: 'next' | 'running'): string | null {
  const budget = taskBudgetOf(deps, id);
  return budget === null ? null : reachedBound(budget, taskSpending(deps, id), of);
}
