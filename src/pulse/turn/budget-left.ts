// What the budgets over a running turn leave over: its task's own, its agent's of the day, the room's of the day. The
// tightest counts. A turn that a person forced has none.
import type { Budget } from '../../core/config/budget.ts';
import { taskOfThread } from '../../core/ids.ts';
import type { Spent } from '../../core/rules/budget.ts';
import type { BudgetLeft, LeftOver } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { readDaySpending } from '../../tasks/read/agent-waits.ts';
import { taskBudgetOf, taskSpending } from '../../tasks/task-budget.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

interface Bound {
  budget: Budget | null;
  spent: Spent;
  of: LeftOver['of'];
  until: number | null;
}

/** As it is at this moment. */
export function readBudgetLeft(deps: TaskRoom, { thread, agent, reasons }: TurnRecord): BudgetLeft {
  if (reasons.includes('run_forced')) return { tokens: null, costUsd: null };
  const bounds: Bound[] = [];
  const task = taskOfThread(thread);
  if (task !== null)
    bounds.push({
      budget: taskBudgetOf(deps, task),
      spent: taskSpending(deps, task),
      of: 'task',
      until: null,
    });
  const day = readDaySpending(deps);
  if (day !== null) {
    const until = day.day.endMs;
    const own = deps.agents().get(agent)?.budget ?? null;
    bounds.push({ budget: own, spent: day.of(agent), of: 'day', until });
    bounds.push({ budget: deps.config().budgets.perDay, spent: day.total, of: 'day', until });
  }
  return {
    tokens: tightest(bounds, 'tokens', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    costUsd: tightest(bounds, 'cost', ({ costUsd }) => costUsd),
  };
}

function tightest(
  bounds: readonly Bound[],
  key: 'tokens' | 'cost',
  used: (spent: Spent) => number,
): LeftOver | null {
  const left = bounds.flatMap(({ budget, spent, of, until }) => {
    const bound = budget?.[key] ?? null;
    return bound === null ? [] : [{ amount: Math.max(0, bound - used(spent)), of, until }];
  });
  return left.sort((a, b) => a.amount - b.amount)[0] ?? null;
}
