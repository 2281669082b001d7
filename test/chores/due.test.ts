import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChoreFacts, healClock, planChores } from '../../src/chores/due.ts';
import type { ChoreMemory } from '../../src/store/ledger/mirrors/sources.ts';
import { forAll } from '../support/for-all.ts';
import { makeChore } from './room-with-chores.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const ms = (iso: string): number => Date.parse(iso);
const iso = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString().replace(':00.000Z', 'Z');
const SEEN = '2026-03-01T00:00Z';

type Case = {
  schedule: string;
  seen?: string;
  failures?: number;
  retry?: string;
  started?: string;
  ended?: string;
};

function factsOf({ schedule, seen = SEEN, started, ended, failures = 0, retry }: Case): ChoreFacts {
  const at = (time: string | undefined) => (time === undefined ? null : ms(time));
  const memory: ChoreMemory = {
    ...{ name: 'c', revision: 'r', result: null, stopped: null, askedAt: null, failures },
    ...{ seenAt: ms(seen), startedAt: at(started), endedAt: at(ended), retryAt: at(retry) },
  };
  return { chore: makeChore('c', { schedule }), memory, busy: false };
}

const RAN = { started: '2026-03-10T10:00Z', ended: '2026-03-10T10:01Z' };

describe('a clock that was set back', () => {
  const heal = (made: Case, now: string) => {
    const { chore, memory } = factsOf(made);
    const change = healClock({ chore, memory }, ms(now));
    return change === null
      ? null
      : [iso(change.startedAt ?? null), iso(change.endedAt ?? null), iso(change.retryAt ?? null)];
  };
  const back = '2026-03-10T08:00Z';

  it.each<[string, Case, string, (string | null)[] | null]>([
    ['nothing is wrong', { schedule: 'every 5m', ...RAN }, '2026-03-10T10:01Z', null],
    ['an interval counts on from now', { schedule: 'every 5m', ...RAN }, back, [back, back, null]],
    ['cron waits it out', { schedule: '*/5 * * * *', ...RAN }, back, null],
    [
      'cron, more than a day',
      { schedule: '*/5 * * * *', ...RAN },
      '2026-03-08T08:00Z',
      ['2026-03-08T08:00Z', '2026-03-08T08:00Z', null],
    ],
    [
      'a retry moves along',
      { schedule: '@daily', ...RAN, failures: 1, retry: '2026-03-10T10:03Z' },
      back,
      [back, back, '2026-03-10T08:02Z'],
    ],
    [
      'never ran, seen in the future',
      { schedule: '@daily', seen: '2026-04-01T00:00Z' },
      back,
      [null, null, null],
    ],
  ])('%s', (_name, made, now, expected) => expect(heal(made, now)).toEqual(expected));

  it('runs no tick twice', () => {
    const { wakeAt } = planChores([factsOf({ schedule: '0 * * * *', ...RAN })], 'Europe/Berlin', ms(back));
    expect(iso(wakeAt)).toBe('2026-03-10T11:00Z');
  });
});

it('what is due now was not due a moment before its time, whatever the schedule', () => {
  const schedules = [
    'every 7m',
    '*/7 * * * *',
    '0 3 * * *',
    'RRULE:FREQ=HOURLY;BYMINUTE=5,35',
    'RRULE:FREQ=WEEKLY;INTERVAL=2',
  ];
  const property = (schedule: string, startMs: number, tookMs: number) => {
    const facts = factsOf({
      schedule,
      started: new Date(startMs).toISOString(),
      ended: new Date(startMs + tookMs).toISOString(),
    });
    const at = planChores([facts], 'Europe/Berlin', startMs + tookMs - 1).wakeAt!;
    expect(at).toBeGreaterThan(startMs);
    expect(planChores([facts], 'Europe/Berlin', at - 1).due).toEqual([]);
    expect(planChores([facts], 'Europe/Berlin', at).due[0]?.reason).toBe('scheduled');
    expect(planChores([facts], 'Europe/Berlin', at + 400 * DAY).due).toHaveLength(1);
  };
  const start = fc.integer({ min: ms('2026-01-01T00:00Z'), max: ms('2027-01-01T00:00Z') });
  forAll(60, fc.constantFrom(...schedules), start, fc.integer({ min: 1, max: 60 * MINUTE }), property);
});
