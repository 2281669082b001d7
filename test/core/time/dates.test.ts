// Dates as a person types them, read on Wednesday 2 December 2026, 12:00.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dateForPeople, parseDate, readSince, spanOfDate } from '../../../src/core/time/durations.ts';
import { forAll } from '../../support/for-all.ts';

const NOW = new Date(2026, 11, 2, 12).getTime();
const DAY_MS = 86_400_000;

test.each([
  ['2026-12-24', '2026-12-24'],
  ['2026-12-24T18:00Z', '2026-12-24T18:00Z'],
  ['Today', '2026-12-02'],
  ['tomorrow', '2026-12-03'],
  ['yesterday', '2026-12-01'],
  ['friday', '2026-12-04'],
  ['wed', '2026-12-09'],
  ['+3d', '2026-12-05'],
  ['3d', '2026-12-05'],
  ['-1w', '2026-11-25'],
  ['+36h', '2026-12-04T00:00'],
  ['2026-02-30', null],
  ['someday', null],
  ['fr', null],
  ['', null],
])('%s', (text, date) => {
  expect(parseDate(text, NOW)).toBe(date);
});

test('what lies behind is meant where it is asked since when', () => {
  expect(parseDate('friday', NOW, 'past')).toBe('2026-11-27');
  expect(parseDate('wednesday', NOW, 'past')).toBe('2026-11-25');
  expect(readSince('3d', NOW)).toBe(new Date(2026, 10, 29).getTime());
  expect(readSince('30m', NOW)).toBe(NOW - 30 * 60_000);
  expect(() => readSince('once', NOW)).toThrow(expect.objectContaining({ code: 'bad_input' }));
});

test('a weekday lies within a week, on its side', () => {
  const days = fc.constantFrom('sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday');
  forAll(100, days, fc.integer({ min: 0, max: 4e12 }), (day, nowMs) => {
    const next = spanOfDate(parseDate(day, nowMs))!;
    const last = spanOfDate(parseDate(day, nowMs, 'past'))!;
    expect(next.startMs).toBeGreaterThan(nowMs);
    expect(next.startMs - nowMs).toBeLessThanOrEqual(7.1 * DAY_MS);
    expect(last.endMs).toBeLessThan(nowMs);
    expect(new Date(next.startMs).getDay()).toBe(new Date(last.startMs).getDay());
  });
});

test('for people', () => {
  expect(dateForPeople('2026-12-24', NOW)).toBe('24 Dec');
  expect(dateForPeople('2027-01-02T18:00', NOW)).toBe('2 Jan 2027 18:00');
  expect(dateForPeople('soon', NOW)).toBe('soon');
});
