// Who is heard of: a worker that holds its request for news open, and for a moment after it; not one whose connection broke.
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createWorkerRegistry,
  type WorkerRegistry,
} from '../../../../src/app/workers/host/worker-registry.ts';
import type { WorkerRow } from '../../../../src/store/ledger/turns/jobs.ts';
import { createManualClock, type ManualClock } from '../../../support/manual-clock.ts';
import { openTestRoom, type TestRoom } from '../../../tasks/test-room.ts';

const WORKER: WorkerRow = {
  ...{ id: 'far', name: 'far', token: 't', version: '1', slots: 1, agents: ['coder'] },
  ...{ startedAt: 0, seenAt: 0, goneAt: null, trouble: null },
};

let room: TestRoom;
let clock: ManualClock;
let registry: WorkerRegistry;
let changes: number;
beforeEach(() => {
  room = openTestRoom();
  clock = createManualClock();
  changes = 0;
  const onChange = () => {
    changes += 1;
  };
  registry = createWorkerRegistry(room.deps.ledger.workers, clock, onChange);
});
afterEach(async () => {
  registry.close();
  await room.close();
});

test('one that dies is not heard of within seconds, and is gone a moment later', async () => {
  const connection = new AbortController();
  registry.seen(WORKER);
  const news = registry.wait(WORKER, 1, 20_000, connection.signal);
  clock.advance(15_000);
  expect(registry.isHeard('far')).toBe(true);
  connection.abort();
  expect(await news).toBe(false);
  clock.advance(1);
  expect(registry.isHeard('far')).toBe(false);
  expect(registry.offers('coder')).toBe(true);
  clock.advance(5_000);
  expect(registry.offers('coder')).toBe(false);
  expect(changes).toBe(2);
});

test('one between two requests is heard of, and nobody else ever', () => {
  registry.seen(WORKER);
  clock.advance(2_000);
  expect(registry.isHeard('far')).toBe(true);
  clock.advance(2_000);
  expect(registry.isHeard('far')).toBe(false);
  expect(registry.isHeard('another')).toBe(false);
  expect(registry.isHeard(null)).toBe(false);
});

test('all are told when something changes for all', async () => {
  const { signal } = new AbortController();
  const other = { ...WORKER, id: 'near' };
  for (const worker of [WORKER, other]) registry.seen(worker);
  const news = [WORKER, other].map((worker) => registry.wait(worker, 1, 20_000, signal));
  registry.nudgeAll();
  expect(await Promise.all(news)).toEqual([false, false]);
});
