// What holds between the engine and any tracker on its bad days: the report says what was not done, nothing is lost or
// made twice, and both sides are equal once the day is over.
import { afterEach, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { SyncReport } from '../../src/sync/sync.ts';
import type { Asked, Fault } from '../support/fault-proxy.ts';
import {
  ALL_WELL,
  judgeNews,
  makeNews,
  openWireRoom,
  type Purpose,
  SECRET,
  type Tracker,
  type WireOptions,
  type WireRoom,
} from './wire-room.ts';

// One bad day of a tracker: a fault that meets requests of one purpose while a sync runs, then good weather.
interface BadDay {
  fault: Fault;
  on: Purpose;
  /** It meets one request only. */
  once?: boolean;
  /** What ends the sync; absent where it goes on and says what it left out. */
  code?: ErrorCode;
  /** The source is left alone for so long. */
  restMs?: number;
  /** Time has to pass for the client to give up. */
  slow?: boolean;
}

/** A sync on that day, and two after it. */
async function surviveBadDay(room: WireRoom, day: BadDay): Promise<void> {
  const { proxy, purposeOf } = room.tracker;
  let met = 0;
  const fits = (asked: Parameters<typeof purposeOf>[0]): boolean => {
    const does = purposeOf(asked) === day.on;
    met += Number(does);
    return does;
  };
  let stop = (): void => {};
  if (day.once) proxy.once(day.fault, fits);
  else stop = proxy.always(day.fault, fits);
  const report = await (day.slow ? givingUp(room) : room.run());
  stop();
  expect(met).toBeGreaterThan(0);
  assertClear(report, day);
  if (day.restMs !== undefined) await assertRest(room, day.restMs);
  for (let round = 0; round < 2; round += 1) {
    await room.later(4_000_000);
    expect(await room.run()).toMatchObject({ error: null });
  }
}

/** The client waits in vain, a minute at a time, as long as the sync goes on. */
async function givingUp(room: WireRoom): Promise<SyncReport> {
  let over = false;
  const running = room.run().finally(() => {
    over = true;
  });
  while (!over) {
    const asked = room.tracker.proxy.asked.length;
    await untilIdle(room, asked, () => over);
    if (!over) room.effects.pass(61_000);
  }
  return running;
}

/** Until the answer under way stands still: turns of the event loop, no time. */
async function untilIdle(room: WireRoom, asked: number, isOver: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 400 && !isOver(); quiet += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (room.tracker.proxy.asked.length !== asked) quiet = 0;
    asked = room.tracker.proxy.asked.length;
  }
}

/** Whatever was not done is said, in words that hold no secret. */
function assertClear(report: SyncReport, { code, once }: BadDay): void {
  const words = [report.error?.message, report.error?.hint, ...report.skipped.map(({ why }) => why)];
  expect(words.join(' ')).not.toContain(SECRET);
  if (code !== undefined)
    expect(report.error).toMatchObject({ code, message: expect.stringMatching(/\S{4}/) });
  else if (!once && report.error === null) expect(report.skipped).not.toEqual([]);
}

async function assertRest(room: WireRoom, restMs: number): Promise<void> {
  const { proxy } = room.tracker;
  const asked = proxy.asked.length;
  room.effects.pass(restMs - 5_000);
  expect((await room.run({ byPerson: true })).error).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('left alone until'),
  });
  expect(proxy.asked.length).toBe(asked);
}

/** What any tracker may answer. */
const SERVER_FAULTS: readonly [string, BadDay][] = [
  ['500 to every reading', { fault: { kind: 'status', status: 500 }, on: 'read', code: 'unavailable' }],
  ['502 to every change', { fault: { kind: 'status', status: 502 }, on: 'change' }],
  ['502 to every making', { fault: { kind: 'status', status: 502 }, on: 'make' }],
  [
    '429 to a reading',
    { fault: { kind: 'too_many', retryAfterSec: 90 }, on: 'read', code: 'rate_limited', restMs: 90_000 },
  ],
];

/** What can happen to the line between us and any tracker. */
const LINE_FAULTS: readonly [string, BadDay][] = [
  ['lines cut before the server heard', { fault: { kind: 'cut_before' }, on: 'make' }],
  ['lines cut after the server made it', { fault: { kind: 'cut_after' }, on: 'make' }],
  ['one line cut after it made it', { fault: { kind: 'cut_after' }, on: 'make', once: true }],
  ['lines cut after the server changed it', { fault: { kind: 'cut_after' }, on: 'change' }],
  ['answers to readings that break off', { fault: { kind: 'truncated' }, on: 'read', code: 'unavailable' }],
  ['answers to changes that break off', { fault: { kind: 'truncated' }, on: 'change' }],
  ['answers to makings that break off', { fault: { kind: 'truncated' }, on: 'make' }],
  [
    'answers to readings that do not end',
    { fault: { kind: 'stall' }, on: 'read', code: 'unavailable', slow: true },
  ],
  ['answers to makings that do not end', { fault: { kind: 'stall' }, on: 'make', slow: true }],
];

export interface BadDayTracker {
  start(): Promise<Tracker>;
  /** Days that only this tracker has. */
  days: readonly [string, BadDay][];
  /** A fresh test for requests of any page but the first. */
  laterPages(): (asked: Asked) => boolean;
  /** Issues on the first page, where the tracker fixes it. */
  firstPage?: number;
}

/** @returns opens a room for one more test; it is closed after it */
export function badDaySuite({ start, days, laterPages, firstPage }: BadDayTracker) {
  let room: WireRoom;
  afterEach(() => room.close());
  const open = async (options: WireOptions = {}): Promise<WireRoom> => {
    room = await openWireRoom(await start(), options);
    return room;
  };

  test.each([...SERVER_FAULTS, ...days, ...LINE_FAULTS])('%s', async (_name, day) => {
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
    test('an issue that moves between two is neither missed nor doubled', async () => {
      await open({ issues: 130 });
      const ref = room.refs[10]!;
      const run = () => room.tracker.people.editIssue(ref, { title: 'Moved' });
      const move: Fault = { kind: 'before', run };
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
      if (firstPage !== undefined) expect(first.created).toBe(firstPage);
      stop();
      await room.later(120_000);
      expect(await room.run()).toMatchObject({ created: 130 - first.created, error: null });
    });
  });
  return open;
}
