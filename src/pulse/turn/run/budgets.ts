// The budgets over running turns: the task's own, the agent's of the day, the room's of the day. Which turns are over one, when
// the next will be, and what is left for a turn. A turn that a person forced has none.
import type { BudgetLeft, LeftOver } from '../../../agents/runner.ts';
import type { Budget } from '../../../core/config/values.ts';
import { taskOfThread } from '../../../core/ids.ts';
import { msUntilBound, reachedBound, type Spent } from '../../../core/rules/budget.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import { type DaySpending, readDaySpending, taskBudgetOf, taskSpending } from '../../../tasks/obstacles.ts';
import type { TaskRoom } from '../../../tasks/task-room.ts';

interface Bound {
  budget: Budget;
  spent: Spent;
  of: LeftOver['of'];
  until: number | null;
  users: number; // How many of these turns use it up at once.
}

/** What bounds a turn. Without a budget nothing is added up. */
function boundsOver(
  deps: TaskRoom,
  { thread, agent, reasons }: TurnRecord,
  day: DaySpending | null,
  turns: readonly TurnRecord[],
): Bound[] {
  if (reasons.includes('run_forced')) return [];
  const bounds: Bound[] = [];
  const task = taskOfThread(thread);
  const ofTask = task === null ? null : taskBudgetOf(deps, task);
  if (ofTask !== null)
    bounds.push({ budget: ofTask, spent: taskSpending(deps, task!), of: 'task', until: null, users: 1 });
  if (day === null) return bounds;
  const ofDay = { of: 'day' as const, until: day.day.endMs };
  const own = deps.agents().get(agent)?.budget ?? null;
  const users = turns.filter((turn) => turn.agent === agent).length;
  if (own !== null) bounds.push({ ...ofDay, budget: own, spent: day.of(agent), users });
  const { perDay } = deps.config().budgets;
  if (perDay !== null) bounds.push({ ...ofDay, budget: perDay, spent: day.total, users: turns.length });
  return bounds;
}

/** The running turns over a budget, and how long until the next reaches a bound of minutes, ms; null where none runs towards one. */
export function readRunningBudgets(deps: TaskRoom): { over: TurnRecord[]; nextMs: number | null } {
  const day = readDaySpending(deps);
  const { turns: records } = deps.ledger;
  // This is asked whenever a turn tells something, however many run.
  const isAny =
    day !== null || deps.config().budgets.perTask !== null || records.runningWithBudget().length > 0;
  const turns = isAny ? records.running() : [];
  const over: TurnRecord[] = [];
  const ahead: number[] = [];
  for (const turn of turns) {
    const bounds = boundsOver(deps, turn, day, turns);
    if (bounds.some(({ budget, spent }) => reachedBound(budget, spent, 'running') !== null)) over.push(turn);
    else ahead.push(...bounds.flatMap((one) => msUntilBound(one.budget, one.spent, one.users) ?? []));
  }
  return { over, nextMs: ahead.length === 0 ? null : Math.min(...ahead) };
}

/** What the budgets over a running turn leave over at this moment; the tightest counts. */
export function readBudgetLeft(deps: TaskRoom, turn: TurnRecord): BudgetLeft {
  const bounds = boundsOver(deps, turn, readDaySpending(deps), []);
  return {
    tokens: tightest(bounds, 'tokens', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    costUsd: tightest(bounds, 'cost', ({ costUsd }) => costUsd),
  };
}

function tightest(bounds: readonly Bound[], key: 'tokens' | 'cost', used: (spent: Spent) => number) {
  const left = bounds.flatMap(({ budget, spent, of, until }) => {
    const bound = budget[key];
    return bound === null ? [] : [{ amount: Math.max(0, bound - used(spent)), of, until }];
  });
  return left.sort((a, b) => a.amount - b.amount)[0] ?? null;
}
