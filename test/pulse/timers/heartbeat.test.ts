// The heartbeat goes on after a ledger that refused, and a tick that could not wake its tasks is not lost.
import { expect, onTestFinished, test } from 'vitest';
import { RoomError } from '../../../src/core/errors.ts';
import { beat } from '../../../src/pulse/timers/timed-work.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createTestLoop } from '../../support/test-loop.ts';
import { openTestRoom } from '../../tasks/test-room.ts';

test('a ledger that is full for a while', async () => {
  const rig = openTestRoom();
  onTestFinished(() => rig.close());
  rig.save('One.md', '---\nid: one00001\n---\nOne.\n');
  await rig.tasks.call('release', {}, { kind: 'person' });
  const clock = createManualClock({ startMs: Date.UTC(2040, 0, 1, 0, 0, 30) });
  const { ledger } = rig.deps;
  let isFull = false;
  const wakes = {
    ...ledger.wakes,
    add(...args: Parameters<typeof ledger.wakes.add>) {
      if (isFull) throw new RoomError('io', 'the disk is full');
      ledger.wakes.add(...args);
    },
  };
  const config = () => ({ ...rig.deps.config(), heartbeat: '* * * * *', timezone: 'UTC' });
  const troubles: unknown[] = [];
  const decided: string[] = [];
  const { randomBytes } = rig.deps.effects;
  const deps = { ...rig.deps, ledger: { ...ledger, wakes }, effects: { ...clock, randomBytes }, config };
  const loop = createTestLoop({ deps, troubles });
  loop.dirtyTasks.takenBy((keys) => decided.push(...keys.keys()));
  beat(loop);
  isFull = true;
  await clock.advanceGently(60_000);
  expect(troubles.length).toBeGreaterThan(0);
  expect(decided).toEqual([]);
  isFull = false;
  await clock.advanceGently(10_000);
  expect(decided).toEqual(['one00001']);
  await clock.advanceGently(60_000);
  expect(decided).toEqual(['one00001', 'one00001']);
});
