// Dates as a person types them, durations, and the days and weeks of a moment.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayOf, weekIn } from '../../../src/core/time/day.ts';
import {
  dateForPeople,
  formatDuration,
  parseBytes,
  parseDate,
  parseDuration,
  pausedBetween,
  readSince,
  spanOfDate,
} from '../../../src/core/time/durations.ts';
import { forAll } from '../../support/for-all.ts';

// The dates are read on Wednesday 2 December 2026, 12:00.
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
])('%s', (text, date) => expect(parseDate(text, NOW)).toBe(date));

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

describe('durations and sizes', () => {
  test.each([
    ['250ms', 250],
    ['1s', 1000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['14d', 1_209_600_000],
    ['0', 0],
    ['0s', 0],
    [' 1 s ', 1000],
    ['1', null],
    ['1.5h', null],
    ['-1s', null],
    ['5M', null],
    ['1h30m', null],
    ['', null],
    ['999999999999999d', null],
  ])('%j is %j ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each([
    ['64MiB', 67_108_864],
    ['500kb', 500_000],
    ['12', 12],
    ['1 GiB', 2 ** 30],
    ['7B', 7],
    ['1TiB', null],
    ['-1', null],
    ['1.5MiB', null],
  ])('%j is %j bytes', (text, size) => expect(parseBytes(text)).toBe(size));

  test('reads back what it writes', () => {
    forAll(300, fc.nat({ max: 2 ** 40 }), (value) => {
      expect(parseDuration(formatDuration(value))).toBe(value);
    });
    expect([formatDuration(90_000), formatDuration(86_400_000)]).toEqual(['90s', '1d']);
  });
});

describe('how long a machine slept', () => {
  test.each([
    ['awake all the time', 10_000, 10_000, 0],
    ['clocks that differ a little', 10_000, 9_000, 0],
    ['an hour asleep', 3_610_000, 10_000, 3_600_000],
    ['a wall clock that was set back', -5_000, 10_000, 0],
  ])('%s', (_what, wallMs, monotonicMs, paused) => {
    expect(
      pausedBetween(
        { wallMs: 1_000, monotonicMs: 500 },
        { wallMs: 1_000 + wallMs, monotonicMs: 500 + monotonicMs },
      ),
    ).toBe(paused);
  });
});

describe('the day of a moment', () => {
  const HOUR = 3_600_000;

  test.each<[string, string, at: string, start: string, hours: number]>([
    ['UTC', 'UTC', '2026-11-22T06:30:00.5Z', '2026-11-22T00:00:00Z', 24],
    ['its first moment', 'UTC', '2026-11-22T00:00:00Z', '2026-11-22T00:00:00Z', 24],
    ['its last', 'UTC', '2026-11-22T23:59:59.999Z', '2026-11-22T00:00:00Z', 24],
    ['east', 'Asia/Tokyo', '2026-11-22T20:00:00Z', '2026-11-22T15:00:00Z', 24],
    ['half an hour', 'Asia/Kolkata', '2026-11-22T00:00:00Z', '2026-11-21T18:30:00Z', 24],
    ['23 hours', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', 23],
    ['25 hours', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00Z', 25],
    ['a midnight that is not there', 'Africa/Cairo', '2026-04-24T12:00:00Z', '2026-04-23T22:00:00Z', 23],
  ])('%s', (_, zone, at, start, hours) => {
    const day = dayOf(Date.parse(at), zone);
    expect(new Date(day.startMs).toISOString()).toBe(new Date(start).toISOString());
    expect((day.endMs - day.startMs) / HOUR).toBe(hours);
  });

  test.each([
    ...['UTC', 'Europe/Berlin', 'Africa/Cairo', 'America/Havana', 'America/Sao_Paulo'],
    ...['Australia/Lord_Howe', 'Asia/Tehran'],
  ])("the system's zone is as the same one by its name: %s", (zone) => {
    const { TZ } = process.env;
    process.env.TZ = zone;
    try {
      // Two years of moments at all hours, from when several of these still changed their clocks.
      const firstMs = Date.parse('2017-01-01T00:00:00Z');
      for (let at = 0; at < 2 * 365; at += 1) {
        const ms = firstMs + at * 25 * HOUR + at * 61_001;
        expect(dayOf(ms, null), new Date(ms).toISOString()).toEqual(dayOf(ms, zone));
      }
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });
});

// Weeks as ISO 8601 has them, also at the turn of the year and in other zones.
test.each([
  ['2026-11-22T12:00Z', '2026-W47', '2026-11-16'],
  ['2026-11-23T00:00Z', '2026-W48', '2026-11-23'],
  ['2027-01-01T12:00Z', '2026-W53', '2026-12-28'],
  ['2027-01-04T00:00Z', '2027-W01', '2027-01-04'],
  ['2024-12-30T00:00Z', '2025-W01', '2024-12-30'],
  ['2023-01-01T23:59Z', '2022-W52', '2022-12-26'],
  ['2020-02-29T12:00Z', '2020-W09', '2020-02-24'],
])('%s is in %s', (at, name, from) => expect(weekIn('UTC')(Date.parse(at))).toEqual({ name, from }));

test('a zone has its own Monday', () => {
  const at = Date.parse('2026-11-22T23:30Z');
  expect(weekIn('UTC')(at).name).toBe('2026-W47');
  expect(weekIn('Europe/Berlin')(at).name).toBe('2026-W48');
  expect(weekIn('America/Los_Angeles')(Date.parse('2026-11-23T07:59Z')).name).toBe('2026-W47');
});
