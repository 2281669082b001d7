import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RoomError } from '../../../src/core/errors.ts';
import { checkCron, dueTick, isTimezone, nextTick } from '../../../src/core/time/schedule.ts';
import { forAll } from '../../support/for-all.ts';
import { iso, ms, ticksOf } from './ticks.ts';

const HEARTBEAT = '0 6-21 * * *';
const HOUR = 3_600_000;

const ticks = (expression: string, zone: string, from: string, count: number) =>
  ticksOf((at) => nextTick(expression, zone, at), from, count);

describe('checkCron', () => {
  it.each([
    HEARTBEAT,
    ...['* * * * *', '*/5 * * * * *', '@daily', '@hourly', 'every 5m', 'Every  2h', '0 0 L * *'],
    ...['0 0 * * MON-FRI', ' 0 6 * * * '],
  ])('%j is fine', (expression) => expect(checkCron(expression)).toBeNull());

  it.each([
    ['', /invalid configuration format/],
    ['* * * *', /invalid configuration format/],
    ['* * * * * * *', /5-or-6-parts/],
    ['61 * * * *', /Invalid value for minute/],
    ['a * * * *', /minute|illegal/i],
    ['0 0 30 2 *', /never happens/],
    ['2030-01-01T00:00:00', /a date is not a schedule/],
    ['every', /invalid configuration format/],
    ['every day', /"day" is not a duration/],
    ['every 5', /"5" is not a duration/],
    ['every 0', /every takes 1s to 366d/],
    ['every 10ms', /every takes 1s to 366d/],
    ['every 400d', /every takes 1s to 366d/],
    [`${'0,'.repeat(200)}0 * * * *`, /at most 200 characters/],
  ])('%j is refused', (expression, message) => expect(checkCron(expression)).toMatch(message));

  it('never throws', () => {
    forAll(100, fc.oneof(fc.string(), fc.stringMatching(/^[0-9*,/LW#?A-Z -]{0,30}$/)), (text) => {
      const fault = checkCron(text);
      if (fault !== null) expect(fault).not.toBe('');
      else expect(nextTick(text, 'UTC', ms('2026-01-01T00:00:00Z'))).not.toBeNaN();
    });
  });
});

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Etc/GMT+5', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Mars/Olympus', false],
  ['', false],
  ['+02:00', false],
  ['../etc', false],
])('isTimezone %j: %s', (zone, known) => expect(isTimezone(zone)).toBe(known));

describe('nextTick', () => {
  it('is strictly later, also within a second', () => {
    expect(iso(nextTick(HEARTBEAT, 'UTC', ms('2026-11-20T10:00:00Z')))).toBe('2026-11-20T11:00:00Z');
    expect(iso(nextTick(HEARTBEAT, 'UTC', ms('2026-11-20T10:00:00Z') + 500))).toBe('2026-11-20T11:00:00Z');
    expect(iso(nextTick(HEARTBEAT, 'UTC', ms('2026-11-20T10:00:00Z') - 1))).toBe('2026-11-20T10:00:00Z');
    expect(iso(nextTick(HEARTBEAT, 'UTC', ms('2026-11-20T21:30:00Z')))).toBe('2026-11-21T06:00:00Z');
  });

  it('reads the fields in the zone, and counts `every` from the moment given', () => {
    expect(iso(nextTick(HEARTBEAT, 'Europe/Berlin', ms('2026-11-20T20:30:00Z')))).toBe(
      '2026-11-21T05:00:00Z',
    );
    expect(nextTick('every 90s', 'Europe/Berlin', 1000)).toBe(91_000);
  });

  it('runs a fixed hour that does not exist right after the gap, and one that exists twice once', () => {
    expect(ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-30T00:30:00Z',
    ]);
    expect(ticks('30 2,14 * * *', 'Europe/Berlin', '2026-10-24T22:00:00Z', 3)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-25T13:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
  });

  it('goes through both passes of a repeated hour where the time has a step', () => {
    expect(ticks('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:45:00Z', 5)).toEqual([
      '2026-10-25T00:00:00Z',
      '2026-10-25T00:30:00Z',
      '2026-10-25T01:00:00Z',
      '2026-10-25T01:30:00Z',
      '2026-10-25T02:00:00Z',
    ]);
  });

  it('refuses what it can not read', () => {
    const bad = expect.objectContaining({ code: 'bad_input' });
    expect(() => nextTick('nonsense', null, 0)).toThrow(RoomError);
    expect(() => nextTick('nonsense', null, 0)).toThrow(bad);
    expect(() => nextTick(HEARTBEAT, 'Mars/Olympus', 0)).toThrow(bad);
    expect(() => dueTick(HEARTBEAT, 'Mars/Olympus', 0, 1)).toThrow(bad);
  });
});

describe('dueTick', () => {
  const last = ms('2026-11-20T10:00:00Z');
  it.each([
    ['just before', HEARTBEAT, '2026-11-20T10:59:59.999Z', null, '2026-11-20T11:00:00Z'],
    ['at the tick', HEARTBEAT, '2026-11-20T11:00:00Z', '2026-11-20T11:00:00Z', '2026-11-20T12:00:00Z'],
    ['three missed', HEARTBEAT, '2026-11-20T13:20:00Z', '2026-11-20T13:00:00Z', '2026-11-20T14:00:00Z'],
    ['a week asleep', HEARTBEAT, '2026-11-27T03:00:00Z', '2026-11-26T21:00:00Z', '2026-11-27T06:00:00Z'],
    ['every, missed', 'every 7m', '2026-11-20T10:30:00Z', '2026-11-20T10:28:00Z', '2026-11-20T10:35:00Z'],
    ['every, not yet', 'every 7m', '2026-11-20T10:06:59Z', null, '2026-11-20T10:07:00Z'],
    ['clock an hour back', HEARTBEAT, '2026-11-20T09:30:00Z', null, '2026-11-20T11:00:00Z'],
  ])('%s', (_, expression, now, at, next) => {
    const result = dueTick(expression, 'UTC', last, ms(now));
    expect({ due: result.due, at: iso(result.atMs), next: iso(result.nextMs) }).toEqual({
      due: at !== null,
      at,
      next,
    });
    expect(result.lastMs).toBe(result.atMs ?? last);
  });

  it('starts anew when the last tick came from a wrong clock', () => {
    const now = ms('2026-11-20T10:30:00Z');
    const result = dueTick(HEARTBEAT, 'UTC', ms('2031-01-01T00:00:00Z'), now);
    expect(result).toEqual({ due: false, atMs: null, nextMs: ms('2026-11-20T11:00:00Z'), lastMs: now });
  });

  const expression = fc.constantFrom(
    HEARTBEAT,
    ...['*/7 * * * *', '30 2 * * *', '15 1-3 * * *', '0 0 1 * *', 'every 11m', '@daily'],
  );
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  );
  // Around the changes of 2026 in those zones, and anywhere else in the year.
  const start = fc
    .constantFrom(
      ...['2026-03-29T00:00:00Z', '2026-10-25T00:00:00Z', '2026-03-08T06:00:00Z', '2026-11-01T05:00:00Z'],
      ...['2026-04-04T14:00:00Z', '2026-07-01T00:00:00Z'],
    )
    .map(ms);

  it('agrees with walking tick by tick: none lost, none twice', () => {
    forAll(
      100,
      expression,
      zone,
      start,
      fc.integer({ min: -20, max: 20 }),
      fc.array(fc.integer({ min: -90, max: 600 }), { maxLength: 12 }),
      (cron, tz, base, shift, steps) => {
        let now = base + shift * 600_000;
        let lastMs = now;
        let latestNow = now;
        let walked = now;
        for (const minutes of steps) {
          now += minutes * 60_000 + 1;
          latestNow = Math.max(latestNow, now);
          // Every tick up to the furthest the clock has been.
          let expected: number | null = null;
          for (
            let next = nextTick(cron, tz, walked);
            next !== null && next <= latestNow;
            next = nextTick(cron, tz, walked)
          ) {
            expected = next;
            walked = next;
          }
          const result = dueTick(cron, tz, lastMs, now);
          expect(iso(result.atMs)).toBe(iso(expected));
          expect(result.due).toBe(expected !== null);
          expect(result.nextMs).toBeGreaterThan(result.lastMs);
          if (result.due) expect(result.nextMs).toBeGreaterThan(now);
          lastMs = result.lastMs;
        }
      },
    );
  });

  it('never ticks twice for the same moment when the clock swings for hours', () => {
    let lastMs = last;
    const fired: number[] = [];
    for (let step = 0; step < 200; step += 1) {
      const now = last + step * 10 * 60_000 + (step % 3 === 0 ? -5 * HOUR : 0);
      const result = dueTick(HEARTBEAT, 'Europe/Berlin', lastMs, now);
      if (result.due) fired.push(result.atMs!);
      lastMs = result.lastMs;
    }
    expect(fired.length).toBeGreaterThan(10);
    expect(fired).toEqual([...new Set(fired)].sort((a, b) => a - b));
  });
});
