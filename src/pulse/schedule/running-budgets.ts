// Budgets that running turns use up: which turns are over one, and when the next will be if all goes on as it does.
import { taskOfThread } from '../../core/ids.ts';
import { msUntilBound, reachedBound } from '../../core/rules/budget.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { type DaySpending, readDaySpending } from '../../tasks/read/agent-waits.ts';
import { taskBudgetOf, taskSpending, usedUpBudget } from '../../tasks/task-budget.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export interface RunningBudgets {
  over: TurnRecord[];
  /** Until the next bound of minutes is reached, ms; null where no turn runs towards one. */
  nextMs: number | null;
}

/** A turn that a person forced goes on whatever it uses. */
export function readRunningBudgets(deps: TaskRoom): RunningBudgets {
  const turns = deps.ledger.turns.running();
  const day = readDaySpending(deps);
  const bound = turns.filter(({ reasons }) => !reasons.includes('run_forced'));
  const over = bound.filter((turn) => isOver(deps, turn, day));
  const ahead = bound
    .filter((turn) => !over.includes(turn))
    .flatMap((turn) => msAhead(deps, turn, turns, day));
  return {
    over,
    nextMs: ahead.length === 0 ? null : Math.min(...ahead),
  };
}

function isOver(deps: TaskRoom, { thread, agent }: TurnRecord, day: DaySpending | null): boolean {
  const task = taskOfThread(thread);
  if (task !== null && usedUpBudget(deps, task, 'running') !== null) return true;
  if (day === null) return false;
  const own = deps.agents().get(agent)?.budget ?? null;
  if (reachedBound(own, day.of(agent), 'running') !== null) return true;
  return reachedBound(deps.config().dayBudget, day.total, 'running') !== null;
}

function msAhead(
  deps: TaskRoom,
  { thread, agent }: TurnRecord,
  turns: readonly TurnRecord[],
  day: DaySpending | null,
): number[] {
  const task = taskOfThread(thread);
  const ofAgent = turns.filter((turn) => turn.agent === agent).length;
  const own = deps.agents().get(agent)?.budget ?? null;
  const bounds = [
    task === null ? null : msUntilBound(taskBudgetOf(deps, task), taskSpending(deps, task), 1),
    day && msUntilBound(own, day.of(agent), ofAgent),
    day && msUntilBound(deps.config().dayBudget, day.total, turns.length),
  ];
  return bounds.filter((ms) => ms !== null);
}
