// Whether a budget is used up, and which: pure, over sums that the ledger gives.
import { BUDGET_KEYS, type Budget, type BudgetKey } from '../config/values.ts';
import type { TurnUsage } from './turn.ts';

export interface Spent {
  turns: number; // Turns that began, those that a usage limit ended apart.
  ms: number;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

export function usageJson({ inputTokens, outputTokens, costUsd }: TurnUsage) {
  return { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

export function spentJson({ turns, ms, ...usage }: Spent) {
  return { turns, seconds: Math.round(ms / 1000), ...usageJson(usage) };
}

export const NOTHING_SPENT: Spent = { turns: 0, ms: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
const MINUTE_MS = 60_000;

/** The first bound that was reached, as one clause (`30 of 30 turns`); null while there is something left.
 * @param of the next turn, which may not begin, or one that runs, which `turns` does not stop */
export function reachedBound(budget: Budget | null, spent: Spent, of: 'next' | 'running'): string | null {
  if (budget === null) return null;
  for (const key of BUDGET_KEYS) {
    const bound = budget[key];
    if (bound === null || (key === 'turns' && of === 'running')) continue;
    const used = usedOf(key, spent);
    if (used >= bound) return inWords(key, used, bound);
  }
  return null;
}

/** Milliseconds until `running` turns at once reach the bound of minutes; null when there is none. */
export function msUntilBound(budget: Budget | null, spent: Spent, running: number): number | null {
  if (budget?.minutes == null || running === 0) return null;
  return Math.max(0, (budget.minutes * MINUTE_MS - spent.ms) / running);
}

function usedOf(key: BudgetKey, spent: Spent): number {
  switch (key) {
    case 'turns':
      return spent.turns;
    case 'minutes':
      return spent.ms / MINUTE_MS;
    case 'tokens':
      return spent.inputTokens + spent.outputTokens;
    case 'cost':
      return spent.costUsd;
  }
}

function inWords(key: BudgetKey, used: number, bound: number): string {
  if (key === 'cost') return `$${used.toFixed(2)} of $${bound.toFixed(2)}`;
  // What a person reads; the comparison above is exact.
  const shown = key === 'minutes' ? Math.floor(used) : used;
  return `${shown} of ${bound} ${bound === 1 ? key.replace(/s$/, '') : key}`;
}
