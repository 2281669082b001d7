// Bad days between the engine and GitHub: the report says what was not done, nothing is lost or made twice, and both
// sides are equal once the day is over.
import { afterEach, describe, expect, test } from 'vitest';
import type { Fault } from '../support/fault-proxy.ts';
import { type BadDay, LINE_FAULTS, surviveBadDay } from './bad-day.ts';
import { ALL_WELL, judgeNews, makeNews, openWireRoom, startGithub, type WireRoom } from './wire-rig.ts';

let room: WireRoom;
afterEach(() => room.close());

const open = async (options = {}): Promise<void> => {
  room = await openWireRoom(await startGithub(), options);
};

const DAYS: readonly [string, BadDay][] = [
  ['500 to every reading', { fault: { kind: 'status', status: 500 }, on: 'read', code: 'unavailable' }],
  ['502 to every change', { fault: { kind: 'status', status: 502 }, on: 'change' }],
  ['502 to every making', { fault: { kind: 'status', status: 502 }, on: 'make' }],
  [
    '429 to a reading',
    { fault: { kind: 'too_many', retryAfterSec: 90 }, on: 'read', code: 'rate_limited', restMs: 90_000 },
  ],
  [
    '429 to a making',
    { fault: { kind: 'too_many', retryAfterSec: 90 }, on: 'make', code: 'rate_limited', restMs: 90_000 },
  ],
  [
    'a secondary limit',
    { fault: { kind: 'secondary', retryAfterSec: 75 }, on: 'make', code: 'rate_limited', restMs: 75_000 },
  ],
  [
    'a secondary limit that names no time',
    { fault: { kind: 'secondary' }, on: 'change', code: 'rate_limited', restMs: 60_000 },
  ],
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
  const second = ({ path }: { path: string }) => path.includes('after=');

  test('one that comes twice makes no task twice', async () => {
    await open({ issues: 130 });
    room.tracker.proxy.once({ kind: 'duplicated' }, second);
    expect(await room.run()).toMatchObject({ error: null });
    await room.later(120_000);
    expect(await room.run()).toMatchObject({ error: null });
    expect(room.tracker.proxy.waiting()).toBe(0);
    expect(room.paths()).toHaveLength(130);
    expect(new Set(room.process.sync.mirrors().map(({ ref }) => ref)).size).toBe(130);
  });

  test('an issue that moves between two is neither missed nor doubled', async () => {
    await open({ issues: 130 });
    const ref = room.refs[10]!;
    const move: Fault = { kind: 'before', run: () => room.tracker.people.editIssue(ref, { title: 'Moved' }) };
    room.tracker.proxy.once(move, second);
    expect(await room.run()).toMatchObject({ error: null });
    await room.later(120_000);
    expect(await room.run()).toMatchObject({ error: null });
    expect(room.tracker.proxy.waiting()).toBe(0);
    expect(room.paths()).toHaveLength(130);
    expect(room.read(ref)).toContain('title: Moved');
  });

  test('one that fails leaves the others, and the next sync goes on there', async () => {
    await open({ issues: 130 });
    const stop = room.tracker.proxy.always({ kind: 'status', status: 502 }, second);
    expect(await room.run()).toMatchObject({ created: 100, error: { code: 'unavailable' } });
    stop();
    await room.later(120_000);
    expect(await room.run()).toMatchObject({ created: 30, error: null });
  });
});
