// Weeks as ISO 8601 has them, also at the turn of the year and in other zones.
import { expect, test } from 'vitest';
import { weekIn } from '../../../src/core/time/day.ts';

test.each([
  ['2026-11-22T12:00Z', '2026-W47', '2026-11-16'],
  ['2026-11-23T00:00Z', '2026-W48', '2026-11-23'],
  ['2027-01-01T12:00Z', '2026-W53', '2026-12-28'],
  ['2027-01-04T00:00Z', '2027-W01', '2027-01-04'],
  ['2024-12-30T00:00Z', '2025-W01', '2024-12-30'],
  ['2023-01-01T23:59Z', '2022-W52', '2022-12-26'],
  ['2020-02-29T12:00Z', '2020-W09', '2020-02-24'],
])('%s is in %s', (at, name, from) => {
  expect(weekIn('UTC')(Date.parse(at))).toEqual({ name, from });
});

test('a zone has its own Monday', () => {
  const at = Date.parse('2026-11-22T23:30Z');
  expect(weekIn('UTC')(at).name).toBe('2026-W47');
  expect(weekIn('Europe/Berlin')(at).name).toBe('2026-W48');
  expect(weekIn('America/Los_Angeles')(Date.parse('2026-11-23T07:59Z')).name).toBe('2026-W47');
});
