// A budget as settings and task files write it: how many turns, minutes, tokens and dollars may be used before work waits.
import * as z from 'zod';
import { once } from '../once.ts';
import { OWN_WORDS, toProblems } from './config-problems.ts';
import { kind } from './values.ts';

export const BUDGET_KEYS = ['turns', 'minutes', 'tokens', 'cost'] as const;
export type BudgetKey = (typeof BUDGET_KEYS)[number];

/** What may be used, tokens in and out together, cost in US dollars; null where it has no bound. */
export type Budget = Record<BudgetKey, number | null>;

const MOST = 1e12;

/** A budget of at least one bound; null for a map that names none. */
export const budget = once(() => {
  const amount = kind(z.number().positive().max(MOST), 'number', 'a number above 0');
  // Nothing counts a part of these.
  const whole = kind(z.int().positive().max(MOST), 'number', 'a whole number above 0');
  const keys = { turns: whole, minutes: amount, tokens: whole, cost: amount } satisfies Record<
    BudgetKey,
    z.ZodNumber
  >;
  const shape = Object.fromEntries(
    BUDGET_KEYS.map((key) => [key, keys[key].nullish().transform((found) => found ?? null)]),
  );
  const schema = z.strictObject(shape, '%s is not a budget').transform((found) => {
    const bounds = found as Budget;
    return BUDGET_KEYS.some((key) => bounds[key] !== null) ? bounds : null;
  });
  return kind(schema, 'budget', 'a map of turns, minutes, tokens and cost, each a number above 0');
});

export function readBudget(value: unknown): { value: Budget | null } | { fault: string; expected: string } {
  const parsed = budget().safeParse(value, OWN_WORDS);
  if (parsed.success) return { value: parsed.data };
  const source = { data: value, placeAt: () => ({ line: 1, col: 1 }) };
  const { message: fault, expected = '' } = toProblems(parsed.error.issues, budget(), source, '')[0]!;
  return { fault, expected };
}
