import { describe, expect, test } from 'vitest';
import type { Budget } from '../../../src/core/config/values.ts';
import { msUntilBound, NOTHING_SPENT, reachedBound, type Spent } from '../../../src/core/rules/budget.ts';

const NONE: Budget = { turns: null, minutes: null, tokens: null, cost: null };
const MINUTE = 60_000;

describe('which bound is reached', () => {
  test.each<[string, Partial<Budget>, Partial<Spent>, next: string | null, running: string | null]>([
    ['no bound', {}, { turns: 1e6, ms: 1e12 }, null, null],
    ['turns: one left', { turns: 3 }, { turns: 2 }, null, null],
    ['turns: none left stops no running one', { turns: 3 }, { turns: 3 }, '3 of 3 turns', null],
    ['one turn', { turns: 1 }, { turns: 1 }, '1 of 1 turn', null],
    ['minutes: a moment left', { minutes: 2 }, { ms: 2 * MINUTE - 1 }, null, null],
    ['minutes', { minutes: 2 }, { ms: 2 * MINUTE }, '2 of 2 minutes', '2 of 2 minutes'],
    [
      'tokens in and out',
      { tokens: 100 },
      { inputTokens: 60, outputTokens: 41 },
      '101 of 100 tokens',
      '101 of 100 tokens',
    ],
    ['tokens: some left', { tokens: 100 }, { inputTokens: 60, outputTokens: 39 }, null, null],
    ['cost', { cost: 5 }, { costUsd: 5.126 }, '$5.13 of $5.00', '$5.13 of $5.00'],
    ['the first of two', { turns: 9, cost: 1 }, { turns: 1, costUsd: 2 }, '$2.00 of $1.00', '$2.00 of $1.00'],
  ])('%s', (_, bounds, spent, next, running) => {
    const budget = { ...NONE, ...bounds };
    expect(reachedBound(budget, { ...NOTHING_SPENT, ...spent }, 'next')).toBe(next);
    expect(reachedBound(budget, { ...NOTHING_SPENT, ...spent }, 'running')).toBe(running);
  });

  test('without a budget none is', () => {
    expect(reachedBound(null, { ...NOTHING_SPENT, turns: 1e9 }, 'next')).toBeNull();
  });
});

test.each<[string, Partial<Budget>, number, number, number | null]>([
  ['one turn', { minutes: 10 }, 4 * MINUTE, 1, 6 * MINUTE],
  ['three at once use them up three times as fast', { minutes: 10 }, 4 * MINUTE, 3, 2 * MINUTE],
  ['over already', { minutes: 10 }, 11 * MINUTE, 1, 0],
  ['nothing runs', { minutes: 10 }, 0, 0, null],
  ['no bound of minutes', { turns: 10 }, 0, 1, null],
])('when the minutes end %s', (_, bounds, ms, running, left) => {
  expect(msUntilBound({ ...NONE, ...bounds }, { ...NOTHING_SPENT, ms }, running)).toBe(left);
});
