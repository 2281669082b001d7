// Who is heard of: a worker that holds its request for news open, and for a moment after it; not one whose connection broke.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPresence, type Presence } from '../../../src/runtime/dispatch/presence.ts';
import { createWorkersTable, type WorkerRow } from '../../../src/store/ledger/turns/dispatched.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { openTestRoom, type TestRoom } from '../../tasks/test-room.ts';

const WORKER: WorkerRow = {
  ...{ id: 'far', name: 'far', token: 't', version: '1', slots: 1, agents: ['coder'] },
  ...{ startedAt: 0, seenAt: 0, goneAt: null, trouble: null },
};

let room: TestRoom;
let clock: ManualClock;
let presence: Presence;
let changes: number;
beforeEach(() => {
  room = openTestRoom();
  clock = createManualClock();
  changes = 0;
  const onChange = () => {
    changes += 1;
  };
  presence = createPresence(createWorkersTable(room.deps.ledger.database), clock, onChange);
});
afterEach(async () => {
  presence.close();
  await room.close();
});

test('one that dies is not heard of within seconds, and is gone a moment later', async () => {
  const connection = new AbortController();
  presence.seen(WORKER);
  const news = presence.wait(WORKER, 1, 20_000, connection.signal);
  clock.advance(15_000);
  expect(presence.isHeard('far')).toBe(true);
  connection.abort();
  expect(await news).toBe(false);
  clock.advance(1);
  expect(presence.isHeard('far')).toBe(false);
  expect(presence.offers('coder')).toBe(true);
  clock.advance(5_000);
  expect(presence.offers('coder')).toBe(false);
  expect(changes).toBe(2);
});

test('one between two requests is heard of, and nobody else ever', () => {
  presence.seen(WORKER);
  clock.advance(2_000);
  expect(presence.isHeard('far')).toBe(true);
  clock.advance(2_000);
  expect(presence.isHeard('far')).toBe(false);
  expect(presence.isHeard('another')).toBe(false);
  expect(presence.isHeard(null)).toBe(false);
});

test('all are told when something changes for all', async () => {
  const { signal } = new AbortController();
  const other = { ...WORKER, id: 'near' };
  for (const worker of [WORKER, other]) presence.seen(worker);
  const news = [WORKER, other].map((worker) => presence.wait(worker, 1, 20_000, signal));
  presence.nudgeAll();
  expect(await Promise.all(news)).toEqual([false, false]);
});
