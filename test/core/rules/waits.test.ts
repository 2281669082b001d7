import { describe, expect, test } from 'vitest';
import { type LimitWait, retryDelayMs, waitAfterLimit, waitsUntil } from '../../../src/core/rules/waits.ts';

describe('retryDelayMs', () => {
  test.each([
    // attempt, random, delay
    [1, 0.5, 10_000],
    [2, 0.5, 20_000],
    [3, 0.5, 40_000],
    [4, 0.5, 80_000],
    [5, 0.5, 160_000],
    [6, 0.5, 300_000],
    [7, 0.5, 300_000],
    [5000, 0.5, 300_000],
    [1, 0, 8000],
    [1, 1, 12_000],
    [6, 0, 240_000],
    [6, 1, 360_000],
    [0, 0.5, 10_000],
    [-3, 0.5, 10_000],
    [Number.NaN, 0.5, 10_000],
    [Number.POSITIVE_INFINITY, 0.5, 300_000],
    [2.9, 0.5, 20_000],
    [1, Number.NaN, 8000],
    [1, 7, 12_000],
    [1, 0.123456, 8494],
  ])('after %d failed attempts and chance %d: %d ms', (attempt, random, delay) => {
    expect(retryDelayMs(attempt, random)).toBe(delay);
  });
});

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = 1_000 * DAY;

/** Waits of turns that begin right after the one before, each without a time told. */
function untold(times: number): LimitWait[] {
  const waits: LimitWait[] = [];
  let now = NOW;
  for (let n = 0; n < times; n += 1) {
    waits.push(waitAfterLimit(waits.at(-1) ?? null, { startedAt: now, endsAt: null }, now));
    now = waits.at(-1)!.until;
  }
  return waits;
}

describe('how long an agent waits', () => {
  test('as long as it was told', () => {
    const wait = waitAfterLimit(null, { startedAt: NOW - MINUTE, endsAt: NOW + 5 * 3_600_000 }, NOW);
    expect(wait).toEqual({ since: NOW, until: NOW + 5 * 3_600_000, times: 1, said: null });
  });

  test('untold: a minute, each time twice as long, half an hour at most', () => {
    const lengths = untold(8).map(({ since, until }) => (until - since) / MINUTE);
    expect(lengths).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test('a time that is over already is none', () => {
    expect(waitAfterLimit(null, { startedAt: NOW, endsAt: NOW - 1 }, NOW).until).toBe(NOW + MINUTE);
  });

  test('a second told again and again waits longer each time', () => {
    const first = waitAfterLimit(null, { startedAt: NOW, endsAt: NOW + 1_000 }, NOW);
    expect(first.until).toBe(NOW + 1_000);
    const { until } = first;
    const second = waitAfterLimit(first, { startedAt: until, endsAt: until + 1_000 }, until);
    expect(second.until).toBe(until + MINUTE);
  });

  test('a year told is a week', () => {
    expect(waitAfterLimit(null, { startedAt: NOW, endsAt: NOW + 365 * DAY }, NOW).until).toBe(NOW + 7 * DAY);
  });

  test('a turn that ran already when the limit was met counts no second time and shortens nothing', () => {
    const first = waitAfterLimit(null, { startedAt: NOW - 1, endsAt: NOW + 5 * MINUTE }, NOW);
    const later = waitAfterLimit(first, { startedAt: NOW - 2, endsAt: null }, NOW + 10);
    expect(later).toEqual(first);
  });
});

describe('whether it is over', () => {
  const wait: LimitWait = { since: NOW, until: NOW + 5 * MINUTE, times: 1, said: null };
  test.each<[string, number, number | null]>([
    ['at its beginning', NOW, wait.until],
    ['a moment before its end', wait.until - 1, wait.until],
    ['at its end', wait.until, null],
    ['after a clock that went back behind its beginning', NOW - DAY, null],
  ])('%s', (_, now, until) => expect(waitsUntil(wait, now)).toBe(until));

  test('one written by a clock that was wrong by months ends', () => {
    expect(waitsUntil({ since: NOW - 1, until: NOW + 60 * DAY, times: 1, said: null }, NOW)).toBeNull();
  });
});
