import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChoreFacts, healClock, planChores } from '../../src/chores/due.ts';
import type { Chore, MirrorConfig } from '../../src/core/chore/chore.ts';
import type { ChoreMemory } from '../../src/store/ledger/mirrors/sources.ts';
import { MIRROR, makeChore } from './room-with-chores.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const ms = (iso: string): number => Date.parse(iso);
const iso = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString().replace(':00.000Z', 'Z');
const SEEN = '2026-03-01T00:00Z';

interface Case {
  schedule?: string | null;
  mirror?: MirrorConfig | null;
  paused?: boolean;
  busy?: boolean;
  seen?: string;
  started?: string | null;
  ended?: string | null;
  failures?: number;
  retry?: string;
  stopped?: string;
  asked?: boolean;
}

function factsOf(made: Case): ChoreFacts {
  const chore: Chore = makeChore('c', {
    schedule: made.schedule ?? null,
    mirror: made.mirror ?? null,
    paused: made.paused ?? false,
  });
  const memory: ChoreMemory = {
    name: 'c',
    seenAt: ms(made.seen ?? SEEN),
    revision: 'r',
    startedAt: made.started ? ms(made.started) : null,
    endedAt: made.ended ? ms(made.ended) : null,
    result: null,
    failures: made.failures ?? 0,
    retryAt: made.retry ? ms(made.retry) : null,
    stopped: made.stopped ?? null,
    askedAt: made.asked ? ms(SEEN) : null,
  };
  return { chore, memory, busy: made.busy ?? false };
}

/** The reason when it is due, else when it will be. */
function lookAt(made: Case, now: string, zone = 'Europe/Berlin'): string | null {
  const plan = planChores([factsOf(made)], zone, ms(now));
  return plan.due[0]?.reason ?? iso(plan.wakeAt);
}

const RAN = { started: '2026-03-10T10:00Z', ended: '2026-03-10T10:01Z' };

describe('a chore that never ran', () => {
  it.each<[string, Case, string, string | null]>([
    ['every: at once', { schedule: 'every 1h' }, SEEN, 'first'],
    ['a mirror by interval: at once', { schedule: 'every 1h', mirror: MIRROR }, SEEN, 'first'],
    ['a mirror by cron: at once', { schedule: '@daily', mirror: MIRROR }, SEEN, 'first'],
    ['a prompt by cron: at its tick', { schedule: '0 9 * * *' }, SEEN, '2026-03-01T08:00Z'],
    ['a prompt by cron: its tick came', { schedule: '0 9 * * *' }, '2026-03-01T08:00Z', 'scheduled'],
    ['a prompt by rule: at its tick', { schedule: 'RRULE:FREQ=DAILY;BYHOUR=9' }, SEEN, '2026-03-01T08:00Z'],
    ['no schedule: never', { mirror: MIRROR }, SEEN, null],
    ['no schedule, asked', { asked: true }, SEEN, 'asked'],
    ['paused: never', { schedule: 'every 1h', paused: true }, SEEN, null],
    ['paused and asked: not either', { schedule: 'every 1h', paused: true, asked: true }, SEEN, null],
    ['a rule that is over', { schedule: 'DTSTART:20250101T000000Z RRULE:FREQ=DAILY;COUNT=1' }, SEEN, null],
  ])('%s', (_name, made, now, expected) => expect(lookAt(made, now)).toBe(expected));
});

describe('a chore that ran', () => {
  it.each<[string, Case, string, string | null]>([
    [
      'every counts from the start',
      { schedule: 'every 5m', ...RAN },
      '2026-03-10T10:01Z',
      '2026-03-10T10:05Z',
    ],
    ['every, due', { schedule: 'every 5m', ...RAN }, '2026-03-10T10:05Z', 'scheduled'],
    ['every, days later: once', { schedule: 'every 5m', ...RAN }, '2026-03-20T10:05Z', 'scheduled'],
    [
      'every, a run longer than that rests',
      { schedule: 'every 5m', started: '2026-03-10T10:00Z', ended: '2026-03-10T10:12Z' },
      '2026-03-10T10:12Z',
      '2026-03-10T10:15Z',
    ],
    ['cron', { schedule: '*/5 * * * *', ...RAN }, '2026-03-10T10:01Z', '2026-03-10T10:05Z'],
    [
      'cron, ticks during the run are part of it',
      { schedule: '*/5 * * * *', started: '2026-03-10T10:00Z', ended: '2026-03-10T10:12Z' },
      '2026-03-10T10:12Z',
      '2026-03-10T10:15Z',
    ],
    [
      'cron, days of missed ticks are one',
      { schedule: '*/5 * * * *', ...RAN },
      '2026-03-20T10:02Z',
      'scheduled',
    ],
    ['busy', { schedule: 'every 5m', started: RAN.started, busy: true }, '2026-03-20T10:00Z', null],
    [
      'the runtime ended during the run',
      { schedule: 'every 5m', started: RAN.started },
      '2026-03-10T10:01Z',
      'interrupted',
    ],
    ['the same, asked for', { started: RAN.started }, '2026-03-10T10:01Z', 'interrupted'],
    [
      'failed, before its time',
      { schedule: 'every 5m', ...RAN, failures: 2, retry: '2026-03-10T10:03Z' },
      '2026-03-10T10:02Z',
      '2026-03-10T10:03Z',
    ],
    [
      'failed, its time came',
      { schedule: '@daily', ...RAN, failures: 2, retry: '2026-03-10T10:03Z' },
      '2026-03-10T10:03Z',
      'retry',
    ],
    ['failed for good', { schedule: 'every 5m', ...RAN, failures: 1 }, '2026-03-11T10:00Z', null],
    [
      'failed, asked',
      { schedule: 'every 5m', ...RAN, failures: 1, asked: true },
      '2026-03-10T10:02Z',
      'asked',
    ],
    ['stands still', { schedule: 'every 5m', ...RAN, stopped: 'x' }, '2026-03-11T10:00Z', null],
    [
      'stands still, asked all the same',
      { schedule: 'every 5m', ...RAN, stopped: 'x', asked: true },
      '2026-03-11T10:00Z',
      null,
    ],
  ])('%s', (_name, made, now, expected) => expect(lookAt(made, now)).toBe(expected));
});

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
    expect(lookAt({ schedule: '0 * * * *', ...RAN }, back)).toBe('2026-03-10T11:00Z');
  });
});

describe('many', () => {
  it('wake at the first of them', () => {
    const facts = [
      factsOf({ schedule: 'every 1h', ...RAN }),
      factsOf({ schedule: 'every 5m', ...RAN }),
      factsOf({ schedule: 'every 1m', ...RAN, paused: true }),
    ];
    expect(iso(planChores(facts, 'UTC', ms('2026-03-10T10:01Z')).wakeAt)).toBe('2026-03-10T10:05Z');
    expect(planChores([], 'UTC', 0)).toEqual({ due: [], wakeAt: null });
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
    fc.assert(
      fc.property(fc.constantFrom(...schedules), start, fc.integer({ min: 1, max: 60 * MINUTE }), property),
      { numRuns: 60 },
    );
  });
});
