// When listings may come less often because webhooks tell what changed, and when that ends.
import { describe, expect, test } from 'vitest';
import { isHealthy, isTold, noteListening, noteUntold, planChores } from '../../src/chores/due.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import type { ChoreMemory } from '../../src/store/ledger/mirrors/sources.ts';
import { MIRROR, makeChore } from './room-with-chores.ts';

const MINUTE = 60_000;
const marks = { heardAt: null, gapAt: null, missedAt: null };

test('they are trusted once one was heard and a listing began since the listener did', () => {
  expect(isHealthy(100, marks, 200)).toBe(false);
  expect(isHealthy(100, { ...marks, heardAt: 150 }, null)).toBe(false);
  expect(isHealthy(100, { ...marks, heardAt: 150 }, 90)).toBe(false);
  expect(isHealthy(100, { ...marks, heardAt: 90 }, 200)).toBe(false);
  expect(isHealthy(100, { ...marks, heardAt: 150 }, 200)).toBe(true);
});

test('a listing that finds what none told ends the trust until the next one; a failed fetch until the next listing', () => {
  expect(isHealthy(100, { ...marks, heardAt: 150, missedAt: 160 }, 200)).toBe(false);
  expect(isHealthy(100, { ...marks, heardAt: 170, missedAt: 160 }, 200)).toBe(true);
  expect(isHealthy(100, { ...marks, heardAt: 150, gapAt: 210 }, 200)).toBe(false);
  expect(isHealthy(100, { ...marks, heardAt: 150, gapAt: 210 }, 220)).toBe(true);
});

test('what the ledger keeps says so, and nothing is trusted while nobody listens', () => {
  const ledger = openLedger(':memory:', { effects: createNodeEffects() });
  const memory = { name: 'web', startedAt: 2_000 } as ChoreMemory;
  ledger.webhooks.mark('web', 'heardAt', 3_000);
  expect(isTold(ledger, memory)).toBe(false);
  noteListening(ledger, { since: 1_000, address: 'http://127.0.0.1:1', hears: ['github'] });
  expect(isTold(ledger, memory)).toBe(true);
  expect(isTold(ledger, { ...memory, name: 'other' })).toBe(false);
  // News that a webhook told a moment ago is no proof against them, and a listing without news neither.
  noteUntold(ledger, 'web', { updated: 1 }, 3_000 + 2 * MINUTE);
  noteUntold(ledger, 'web', { pushed: 1, skipped: 3 }, 3_000 + 3 * MINUTE);
  expect(isTold(ledger, memory)).toBe(true);
  noteUntold(ledger, 'web', { updated: 1 }, 3_001 + 2 * MINUTE);
  expect(isTold(ledger, memory)).toBe(false);
  // A chore that never heard one has none to blame.
  noteUntold(ledger, 'other', { created: 1 }, 5 * MINUTE);
  expect(ledger.webhooks.marks('other')).toEqual(marks);
  noteListening(ledger, null);
  expect(isTold(ledger, memory)).toBe(false);
  ledger.close();
});

describe('while they are trusted', () => {
  const startedAt = Date.parse('2026-03-10T10:00Z');
  const nextAt = (schedule: string, told: boolean): string => {
    const memory = { name: 'c', seenAt: 0, revision: 'r', startedAt, endedAt: startedAt + 1_000 };
    const rest = { result: null, failures: 0, retryAt: null, stopped: null, askedAt: null };
    const facts = { chore: makeChore('c', { schedule, mirror: MIRROR }), memory: { ...memory, ...rest } };
    const { wakeAt } = planChores([{ ...facts, busy: false, told }], 'UTC', startedAt + 2_000);
    return new Date(wakeAt!).toISOString().slice(11, 19);
  };

  test.each([
    ['every 5m', '10:05:00', '10:30:00'],
    ['every 30m', '10:30:00', '11:00:00'],
    ['every 2h', '12:00:00', '12:00:00'],
    ['*/5 * * * *', '10:05:00', '10:30:00'],
    ['0 * * * *', '11:00:00', '11:00:00'],
  ])('%s lists at %s, then at %s', (schedule, always, told) => {
    expect(nextAt(schedule, false)).toBe(always);
    expect(nextAt(schedule, true)).toBe(told);
  });
});
