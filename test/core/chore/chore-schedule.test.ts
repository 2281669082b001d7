import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkChoreSchedule, isInterval, nextChoreTick } from '../../../src/core/chore/chore-schedule.ts';
import { forAll } from '../../support/for-all.ts';
import { ticksOf } from '../time/ticks.ts';

const ticks = (expression: string, zone: string, from: string, count: number) =>
  ticksOf((at) => nextChoreTick(expression, zone, at), from, count);

describe('checkChoreSchedule', () => {
  it.each([
    ...['every 5m', '*/5 * * * *', '@daily', 'RRULE:FREQ=DAILY;BYHOUR=9', 'rrule:freq=weekly;byday=mo,fr'],
    'RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYHOUR=17;BYMINUTE=30',
    'DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;INTERVAL=2',
    'DTSTART;TZID=America/New_York:20260105T090000\nRRULE:FREQ=DAILY;COUNT=10',
    'DTSTART:20260105T090000Z RRULE:FREQ=DAILY;UNTIL=20261231T000000Z',
    'DTSTART:20260105 RRULE:FREQ=DAILY',
  ])('%j is fine', (expression) => expect(checkChoreSchedule(expression)).toBeNull());

  it.each([
    ['RRULE:', /a rule reads RRULE:FREQ=/],
    ['RRULE:FREQ=DAILY garbage', /a rule reads RRULE:FREQ=/],
    ['RRULE:BYHOUR=9', /FREQ is missing/],
    ['RRULE:FREQ=SECONDLY', /write every 30s instead/],
    ['RRULE:FREQ=FORTNIGHTLY', /use one of MINUTELY/],
    ['RRULE:FREQ=DAILY;FREQ=WEEKLY', /FREQ stands in the rule twice/],
    ['RRULE:FREQ=DAILY;BYHOURS=9', /unknown part BYHOURS/],
    ['RRULE:RSCALE=CHINESE;FREQ=YEARLY', /unknown part RSCALE/],
    ['RRULE:FREQ=DAILY;BYHOUR=24', /BYHOUR=24: a number from 0 to 23/],
    ['RRULE:FREQ=DAILY;BYHOUR=9,x', /BYHOUR=X: a number/],
    ['RRULE:FREQ=MONTHLY;BYMONTHDAY=0', /from -31 to 31 but 0/],
    ['RRULE:FREQ=DAILY;INTERVAL=0', /INTERVAL=0/],
    ['RRULE:FREQ=DAILY;INTERVAL=1,2', /INTERVAL takes one number/],
    ['RRULE:FREQ=DAILY;INTERVAL=99999999999', /INTERVAL/],
    ['RRULE:FREQ=WEEKLY;BYDAY=XX', /days are MO, TU/],
    ['RRULE:FREQ=WEEKLY;WKST=5', /WKST=5 is no day/],
    ['RRULE:FREQ=DAILY;COUNT=3', /COUNT needs a DTSTART/],
    ['RRULE:FREQ=DAILY;UNTIL=tomorrow', /UNTIL=TOMORROW/],
    ['RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /never happens/],
    ['DTSTART;TZID=Mars/Olympus:20260101T000000 RRULE:FREQ=DAILY', /time zone/i],
    ['DTSTART:20261399T000000 RRULE:FREQ=DAILY', /month/i],
    [`RRULE:FREQ=DAILY;BYMINUTE=${'1,'.repeat(300)}1`, /at most 400 characters/],
    ['60 * * * *', /minute/],
  ])('%j is refused', (expression, message) => expect(checkChoreSchedule(expression)).toMatch(message));

  it('ends soon and says something for any text', () => {
    const part = fc.stringMatching(
      /^(FREQ=(DAILY|HOURLY|YEARLY)|BY(HOUR|MONTH|DAY|SETPOS)=[-0-9A-Z,]{1,6}|[A-Z=;]{0,9})$/,
    );
    const rule = fc.array(part, { maxLength: 4 }).map((parts) => `RRULE:${parts.join(';')}`);
    forAll(60, fc.oneof(rule, fc.string()), (text) => {
      const fault = checkChoreSchedule(text);
      if (fault !== null) expect(fault).not.toBe('');
      else expect(nextChoreTick(text, 'UTC', 0)).not.toBeNaN();
    });
  });
});

describe('nextChoreTick', () => {
  it('keeps local time over a change of the clocks', () => {
    expect(ticks('RRULE:FREQ=DAILY;BYHOUR=9', 'Europe/Berlin', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T08:00:00Z',
      '2026-03-29T07:00:00Z',
      '2026-03-30T07:00:00Z',
    ]);
  });

  it('leaves out a time that does not exist, and runs once at one that exists twice', () => {
    const rule = 'RRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=30';
    expect(ticks(rule, 'Europe/Berlin', '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-30T00:30:00Z']);
    expect(ticks(rule, 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30:00Z',
      '2026-10-26T01:30:00Z',
    ]);
  });

  it('counts intervals of a rule without start from a fixed Monday', () => {
    expect(ticks('RRULE:FREQ=WEEKLY;INTERVAL=2', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual([
      '2026-01-12T00:00:00Z',
      '2026-01-26T00:00:00Z',
    ]);
  });

  it("takes the rule's own zone before the room's", () => {
    const rule = 'DTSTART;TZID=America/New_York:20260105T090000 RRULE:FREQ=DAILY';
    expect(ticks(rule, 'Europe/Berlin', '2026-01-10T00:00:00Z', 1)).toEqual(['2026-01-10T14:00:00Z']);
  });

  it('ends with the rule', () => {
    const rule = 'DTSTART:20260105T090000Z RRULE:FREQ=DAILY;COUNT=2';
    expect(ticks(rule, 'UTC', '2026-01-01T00:00:00Z', 3)).toEqual([
      '2026-01-05T09:00:00Z',
      '2026-01-06T09:00:00Z',
      null,
    ]);
  });

  it('gives none for what can not be read', () => {
    expect(nextChoreTick('RRULE:FREQ=X', 'UTC', 0)).toBeNull();
    expect(nextChoreTick('nonsense', 'UTC', 0)).toBeNull();
    expect(nextChoreTick('@daily', 'Mars/Olympus', 0)).toBeNull();
  });
});

it('knows what counts from the last run', () => {
  expect(['every 5m', ' Every 1h', '@daily', 'everyday', 'RRULE:FREQ=DAILY'].map(isInterval)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
