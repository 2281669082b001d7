// What is sent between syncs, on a clock that is moved by hand.
import { expect, test } from 'vitest';
import { createUpstreamPushes } from '../../../src/pulse/sync/source-syncs.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import type { Sync } from '../../../src/sync/sync.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createTestLoop } from '../../support/test-loop.ts';

function rig() {
  const effects = createManualClock();
  const open = new Map<string, () => void>();
  const rigged = {
    mirrored: true,
    dirty: [] as { chore: string; dueAt: number }[],
    began: [] as string[],
    aborted: [] as string[],
    troubles: [] as unknown[],
  };
  const sync = {
    dirtySources: () => rigged.dirty,
    syncChore(chore: string, _wish: object, signal: AbortSignal) {
      rigged.began.push(chore);
      signal.addEventListener('abort', () => {
        rigged.aborted.push(chore);
        open.get(chore)?.();
      });
      return new Promise<void>((resolve) => open.set(chore, resolve));
    },
  };
  const opened = { sync: sync as unknown as Sync };
  const loop = createTestLoop({
    deps: { effects, config: defaultRoomConfig, agents: () => new Map() },
    ports: {
      mirrors: {
        get opened() {
          return rigged.mirrored ? opened : null;
        },
        open: async () => opened,
      },
    },
    troubles: rigged.troubles,
  });
  const pushes = { ...createUpstreamPushes(loop, async () => {}), isBusy: loop.isUnderWay };
  const pass = async (ms: number) => {
    effects.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  /** Ends what is sent for a chore. */
  const finish = async (chore: string) => {
    rigged.dirty = rigged.dirty.filter((one) => one.chore !== chore);
    open.get(chore)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...rigged, rigged, pushes, pass, finish };
}

test('a source that is slow holds up no other, and is sent again for what came meanwhile', async () => {
  const { rigged, pushes, pass, finish } = rig();
  rigged.dirty = [{ chore: 'slow', dueAt: 0 }];
  pushes.look();
  pushes.look();
  await pass(500);
  expect(rigged.began).toEqual(['slow']);
  rigged.dirty = [...rigged.dirty, { chore: 'quick', dueAt: 0 }];
  pushes.look();
  await pass(500);
  expect(rigged.began).toEqual(['slow', 'quick']);
  await finish('quick');
  expect(pushes.isBusy()).toBe(true);
  await finish('slow');
  rigged.dirty = [{ chore: 'slow', dueAt: 0 }];
  await pass(500);
  expect(rigged.began).toEqual(['slow', 'quick', 'slow']);
  await finish('slow');
  await pass(500);
  expect(pushes.isBusy()).toBe(false);
  expect(rigged.began).toHaveLength(3);
});
