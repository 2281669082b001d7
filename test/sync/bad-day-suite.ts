// What holds between the engine and any tracker on its bad days: the report says what was not done, nothing is lost or
// made twice, and both sides are equal once the day is over.
import { afterEach, describe, expect, test } from 'vitest';
import type { Asked, Fault } from '../support/fault-proxy.ts';
import { type BadDay, LINE_FAULTS, SERVER_FAULTS, surviveBadDay } from './bad-day.ts';
import {
  ALL_WELL,
  judgeNews,
  makeNews,
  openWireRoom,
  type Tracker,
  type WireOptions,
  type WireRoom,
} from './wire-room.ts';

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
