// How the board says times and amounts.
import { expect, test } from 'vitest';
import { sayCost, sayCount, sayDuration, sayElapsed, sayWhen } from '../../src/web/parts/time-words.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const SECOND = 1000;
const DAY = 86_400 * SECOND;

test.each([
  [-4 * SECOND, 'just now'],
  [3 * SECOND, 'just now'],
  [-59 * SECOND, '59 s ago'],
  [-60 * SECOND, '1 min ago'],
  [-3_599 * SECOND, '59 min ago'],
  [2 * 3_600 * SECOND, 'in 2 h'],
  [-DAY, '1 day ago'],
  [6 * DAY, 'in 6 days'],
  [-7 * DAY, '1 week ago'],
  [-31 * DAY, '1 month ago'],
  [-364 * DAY, '11 months ago'],
  [-800 * DAY, '2 years ago'],
])('what is %i ms from now', (offset, said) => {
  expect(sayWhen(NOW + offset, NOW)).toBe(said);
});

test('lasting, counts and costs', () => {
  expect([0, 61_000, 3_849_000].map(sayElapsed)).toEqual(['0:00', '1:01', '1:04:09']);
  expect([35, 90, 7_440].map(sayDuration)).toEqual(['35 s', '2 min', '2 h 4 min']);
  expect([9_999, 10_000, 12_345, 999_949, 999_950, 4_000_000].map(sayCount)).toEqual([
    ...['9999', '10K', '12.3K', '999.9K', '1M', '4M'],
  ]);
  expect([null, 0, 0.004, 1.5].map(sayCost)).toEqual([null, null, '< $0.01', '$1.50']);
});
