// Budgets that running turns use up: which turns are over one, and when the next will be if all goes on as it does.
import type { Budget } from '../../core/config/budget.ts';
import { type TurnId, taskOfThread } from '../../core/ids.ts';
import { msUntilBound, reachedBound, type Spent } from '../../core/rules/budget.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { type DaySpending, readDaySpending } from '../../tasks/read/agent-waits.ts';
import { taskBudgetOf, taskSpending } from '../../tasks/task-budget.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export interface RunningBudgets {
  over: TurnRecord[];
  /** Until the next bound of minutes is reached, ms; null where no turn runs towards one. */
  nextMs: number | null;
}

/** A turn that a person forced goes on whatever it uses. */
export function readRunningBudgets(deps: TaskRoom): RunningBudgets {
  const day = readDaySpending(deps);
  const named = new Set(deps.ledger.turns.runningWithBudget());
  // This is asked whenever a turn tells something, however many run.
  const isAny = day !== null || deps.config().budgets.perTask !== null || named.size > 0;
  const turns = isAny ? deps.ledger.turns.running() : [];
  const bound = turns
    .filter(({ reasons }) => !reasons.includes('run_forced'))
    .map((turn) => withOwn(deps, turn, named));
  const over = bound.filter((each) => isOver(deps, each, day));
  const ahead = bound
    .filter((each) => !over.includes(each))
    .flatMap((each) => msAhead(deps, each, turns, day));
  return {
    over: over.map(({ turn }) => turn),
    nextMs: ahead.length === 0 ? null : Math.min(...ahead),
  };
}

/** A turn, its task's own budget, and what is used of it. */
interface BoundTurn {
  turn: TurnRecord;
  own: { budget: Budget; spent: Spent } | null;
}

/** Without a budget nothing is added up. */
function withOwn(deps: TaskRoom, turn: TurnRecord, named: ReadonlySet<TurnId>): BoundTurn {
  const task = taskOfThread(turn.thread);
  const isBound = named.has(turn.id) || deps.config().budgets.perTask !== null;
  const budget = task === null || !isBound ? null : taskBudgetOf(deps, task);
  return { turn, own: budget === null ? null : { budget, spent: taskSpending(deps, task!) } };
}

function isOver(
  deps: TaskRoom,
  { turn: { agent }, own: ofTask }: BoundTurn,
  day: DaySpending | null,
): boolean {
  if (ofTask !== null && reachedBound(ofTask.budget, ofTask.spent, 'running') !== null) return true;
  if (day === null) return false;
  const own = deps.agents().get(agent)?.budget ?? null;
  if (reachedBound(own, day.of(agent), 'running') !== null) return true;
  return reachedBound(deps.config().budgets.perDay, day.total, 'running') !== null;
}

function msAhead(
  deps: TaskRoom,
  { turn: { agent }, own: ofTask }: BoundTurn,
  turns: readonly TurnRecord[],
  day: DaySpending | null,
): number[] {
  const ofAgent = turns.filter((turn) => turn.agent === agent).length;
  const own = deps.agents().get(agent)?.budget ?? null;
  const bounds = [
    ofTask && msUntilBound(ofTask.budget, ofTask.spent, 1),
    day && msUntilBound(own, day.of(agent), ofAgent),
    day && msUntilBound(deps.config().budgets.perDay, day.total, turns.length),
  ];
  return bounds.filter((ms) => ms !== null);
}
