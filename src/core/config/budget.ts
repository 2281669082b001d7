// A budget as settings and task files write it: how many turns, minutes, tokens and dollars may be used before work waits.
import type { Found } from './config-fields.ts';
import { show } from './shown-value.ts';

/** What may be used; null where it has no bound. */
export interface Budget {
  turns: number | null;
  minutes: number | null;
  /** Tokens in and out together, as far as agents tell. */
  tokens: number | null;
  /** US dollars, as far as agents tell. */
  cost: number | null;
}

export const BUDGET_KEYS = ['turns', 'minutes', 'tokens', 'cost'] as const;
export type BudgetKey = (typeof BUDGET_KEYS)[number];

const EXPECTED = 'a map of turns, minutes, tokens and cost, each a number above 0';
/** Nothing counts a part of these. */
const WHOLE: ReadonlySet<string> = new Set(['turns', 'tokens']);
const MOST = 1e12;

/** A budget of at least one bound; null for a map that names none. */
export function readBudget(value: unknown): Found<Budget | null> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { fault: `${show(value)} is not a budget`, expected: EXPECTED };
  const budget: Budget = { turns: null, minutes: null, tokens: null, cost: null };
  for (const [key, amount] of Object.entries(value)) {
    if (!(BUDGET_KEYS as readonly string[]).includes(key))
      return { fault: `unknown key ${show(key)} in a budget`, expected: EXPECTED };
    if (amount === null) continue;
    if (!isAmount(key, amount)) return { fault: `${key} can't be ${show(amount)}`, expected: EXPECTED };
    budget[key as BudgetKey] = amount;
  }
  return { value: BUDGET_KEYS.some((key) => budget[key] !== null) ? budget : null };
}

function isAmount(key: string, amount: unknown): amount is number {
  if (typeof amount !== 'number' || !(amount > 0 && amount <= MOST)) return false;
  return !WHOLE.has(key) || Number.isInteger(amount);
}
