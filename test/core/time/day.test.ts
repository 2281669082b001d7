import { expect, test } from 'vitest';
import { dayOf } from '../../../src/core/time/day.ts';

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
