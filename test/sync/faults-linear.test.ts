// Bad days between the engine and Linear: the report says what was not done, nothing is lost or made twice, and both
// sides are equal once the day is over.
import { afterEach, describe, expect, test } from 'vitest';
import type { Asked, Fault } from '../support/fault-proxy.ts';
import { type BadDay, LINE_FAULTS, surviveBadDay } from './bad-day.ts';
import { ALL_WELL, judgeNews, makeNews, openWireRoom, startLinear, type WireRoom } from './wire-rig.ts';

let room: WireRoom;
afterEach(() => room.close());

const open = async (options = {}): Promise<void> => {
  room = await openWireRoom(await startLinear(), options);
};

const LIMITED: Fault = { kind: 'linear_limited' };
const DAYS: readonly [string, BadDay][] = [
  ['500 to every reading', { fault: { kind: 'status', status: 500 }, on: 'read', code: 'unavailable' }],
  ['502 to every change', { fault: { kind: 'status', status: 502 }, on: 'change' }],
  ['502 to every making', { fault: { kind: 'status', status: 502 }, on: 'make' }],
  [
    '429 to a reading',
    { fault: { kind: 'too_many', retryAfterSec: 90 }, on: 'read', code: 'rate_limited', restMs: 90_000 },
  ],
  ['HTTP 400 RATELIMITED to a reading', { fault: LIMITED, on: 'read', code: 'rate_limited', restMs: 60_000 }],
  [
    'HTTP 400 RATELIMITED to a change',
    { fault: LIMITED, on: 'change', code: 'rate_limited', restMs: 60_000 },
  ],
  ['HTTP 400 RATELIMITED to a making', { fault: LIMITED, on: 'make', code: 'rate_limited', restMs: 60_000 }],
  ...LINE_FAULTS,
];

test.each(DAYS)('%s', async (_name, day) => {
  await open();
  await makeNews(room);
  await surviveBadDay(room, day);
  expect(await judgeNews(room)).toEqual(ALL_WELL);
});

test.each([600_000, -600_000])('clocks that are %d ms apart', async (offMs) => {
  await open({ offMs });
  room.tracker.proxy.always({ kind: 'clock', offsetMs: -offMs });
  await makeNews(room);
  expect(await room.run()).toMatchObject({ error: null, skipped: [] });
  await room.later(120_000);
  expect(await judgeNews(room)).toEqual(ALL_WELL);
});

describe('pages', () => {
  /** Every page but the first. */
  const laterPages = (): ((asked: Asked) => boolean) => {
    let pages = 0;
    return ({ body }) => body.includes('query Issues') && pages++ > 0;
  };

  test('an issue that moves between two is neither missed nor doubled', async () => {
    await open({ issues: 130 });
    const ref = room.refs[10]!;
    const move: Fault = { kind: 'before', run: () => room.tracker.people.editIssue(ref, { title: 'Moved' }) };
    room.tracker.proxy.once(move, laterPages());
    expect(await room.run()).toMatchObject({ error: null });
    await room.later(120_000);
    expect(await room.run()).toMatchObject({ error: null });
    expect(room.tracker.proxy.waiting()).toBe(0);
    expect(room.paths()).toHaveLength(130);
    expect(room.read(ref)).toContain('title: Moved');
  });

  test('one that fails leaves the others, and the next sync goes on there', async () => {
    await open({ issues: 130 });
    const stop = room.tracker.proxy.always({ kind: 'status', status: 502 }, laterPages());
    const first = await room.run();
    expect(first).toMatchObject({ error: { code: 'unavailable' } });
    expect(first.created).toBeGreaterThan(0);
    stop();
    await room.later(120_000);
    expect(await room.run()).toMatchObject({ created: 130 - first.created, error: null });
  });
});
