import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChoreFacts, healClock, planChores } from '../../src/chores/due.ts';
import type { Chore, MirrorConfig } from '../../src/core/chore/chore.ts';
import type { ChoreMemory } from '../../src/store/ledger/mirrors/sources.ts';
import { forAll } from '../support/for-all.ts';
import { makeChore } from './room-with-chores.ts';

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
