import { describe, expect, it } from 'vitest';
import { afterFailure, afterSuccess, type FailedRun } from '../../src/chores/chore-room.ts';
import { MIRROR, makeChore } from './room-with-chores.ts';

const NOW = Date.UTC(2026, 2, 10, 10, 0, 30);
const RECORD = { ok: false, message: 'no' };
const mirror = (schedule: string | null) => makeChore('m', { schedule, mirror: MIRROR });
const prompt = (schedule: string | null) => makeChore('p', { schedule });

/** Seconds until the next try, null for none, or why it stands still. */
function outcome(run: Partial<FailedRun>): number | string | null {
  const change = afterFailure({
    chore: mirror('every 5m'),
    record: RECORD,
    code: 'unavailable',
    retryAfterMs: null,
    failures: 0,
    maxAttempts: 5,
    timezone: 'UTC',
    now: NOW,
    random: 0.5,
    ...run,
  });
  expect(change).toMatchObject({ endedAt: NOW, result: RECORD, failures: (run.failures ?? 0) + 1 });
  if (change.stopped) return change.stopped;
  return change.retryAt == null ? null : (change.retryAt - NOW) / 1000;
}

describe('a failed run', () => {
  it.each<[string, Partial<FailedRun>, number | string | null]>([
    ['is tried again soon', {}, 10],
    ['and later each time', { failures: 3 }, 80],
    ['sooner than its tick', { chore: mirror('@daily') }, 10],
    ['also when it was only asked for', { chore: mirror(null) }, 10],
    ['when the tracker says', { retryAfterMs: 90_000 }, 90],
    ['but within the hour', { retryAfterMs: 9e9 }, 3600],
    ['lasting: at the next interval', { code: 'unauthorized' }, 300],
    ['lasting: at the next tick', { code: 'not_found', chore: mirror('*/5 * * * *') }, 270],
    [
      'lasting: a tick that comes too soon is put off',
      { code: 'not_found', chore: mirror('* * * * * *') },
      10,
    ],
    ['lasting, only asked for: never', { code: 'unauthorized', chore: mirror(null) }, null],
    ['too often: at the next tick', { failures: 4, chore: mirror('0 11 * * *') }, 3570],
    ['a mirror never stands still', { failures: 99 }, 300],
    ['a prompt is tried again', { chore: prompt('@daily'), code: null }, 10],
    [
      'a prompt stands still in the end',
      { chore: prompt('@daily'), code: null, failures: 4 },
      'gave up after 5 failed attempts: no',
    ],
    [
      'one attempt',
      { chore: prompt(null), code: null, maxAttempts: 1 },
      'gave up after 1 failed attempt: no',
    ],
    ['a prompt that is refused stands still', { chore: prompt('@daily'), code: 'refused' }, 'no'],
  ])('%s', (_name, run, expected) => expect(outcome(run)).toBe(expected));
});

it('a good run owes nothing', () => {
  const record = { ok: true, message: 'fine' };
  expect(afterSuccess(record, 5)).toEqual({
    endedAt: 5,
    result: record,
    failures: 0,
    retryAt: null,
    stopped: null,
  });
});
