// What is sent between syncs, on a clock that is moved by hand.
import { expect, test } from 'vitest';
import type { Chore } from '../../../src/core/chore/chore.ts';
import type { NamedByWebhook } from '../../../src/pulse/ports.ts';
import { createUpstreamPushes, createWebhookNews } from '../../../src/pulse/sync/source-syncs.ts';
import { defaultRoomConfig } from '../../../src/store/files/config-files.ts';
import type { Sync } from '../../../src/sync/sync.ts';
import { MIRROR, makeChore } from '../../chores/room-with-chores.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createTestLoop } from '../../support/test-loop.ts';

function openPushes() {
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
  const { rigged, pushes, pass, finish } = openPushes();
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

// Deliveries on their way to a fetch, on a clock that is moved by hand.
type Fetch = { chore: string; issues: readonly NamedByWebhook[] | null; end(): Promise<void> };

function openNews(...chores: Chore[]) {
  const effects = createManualClock();
  const fetches: Fetch[] = [];
  const troubles: unknown[] = [];
  const sync = {
    syncChore(chore: string, { issues = null }: { issues?: Fetch['issues'] }, signal: AbortSignal) {
      const ended = Promise.withResolvers<{ error: null }>();
      signal.addEventListener('abort', () => ended.resolve({ error: null }));
      const end = async () => {
        ended.resolve({ error: null });
        await new Promise((resolve) => setImmediate(resolve));
      };
      fetches.push({ chore, issues, end });
      return ended.promise;
    },
  };
  const opened = { sync: sync as unknown as Sync };
  const loop = createTestLoop({
    deps: { effects, config: defaultRoomConfig, agents: () => new Map() },
    ports: { mirrors: { opened, open: async () => opened } },
    troubles,
  });
  loop.known.list = () => chores;
  const news = { ...createWebhookNews(loop, async () => {}), isBusy: loop.isUnderWay };
  const pass = async (ms: number) => {
    effects.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const { provider } = MIRROR;
  const tell = (number: number) =>
    news.take(provider, { ref: `acme/web#${number}`, uid: `u${number}` }, (chore) => chore === 'web');
  return { news, fetches, troubles, pass, tell, provider };
}

const web = makeChore('web', { mirror: MIRROR });

test('deliveries of one issue are one fetch, those of several go together, and only to chores they concern', async () => {
  const { tell, pass, fetches } = openNews(web, makeChore('other', { mirror: MIRROR }), makeChore('prompt'));
  expect(tell(1)).toEqual(['web']);
  for (let times = 0; times < 1_000; times += 1) tell(1);
  tell(2);
  expect(fetches).toEqual([]);
  await pass(150);
  expect(fetches).toMatchObject([{ chore: 'web', issues: [{ uid: 'u1' }, { uid: 'u2' }] }]);
});

test('a burst of a thousand issues is one listing', async () => {
  const { tell, pass, fetches } = openNews(web);
  for (let number = 1; number <= 1_000; number += 1) tell(number);
  await pass(150);
  expect(fetches).toMatchObject([{ chore: 'web', issues: null }]);
});

test('what comes during a fetch is fetched after it, and replays without end wait longer and longer', async () => {
  const { news, tell, pass, fetches } = openNews(web);
  tell(1);
  await pass(150);
  tell(1);
  await pass(60_000);
  expect(fetches).toHaveLength(1);
  await fetches[0]!.end();
  expect(news.isBusy()).toBe(true);
  let waitedMs = 0;
  for (let at = 1; at < 12; at += 1) {
    for (let steps = 0; fetches.length === at && steps < 1_000; steps += 1) {
      await pass(50);
      waitedMs += 50;
    }
    await fetches[at]!.end();
    tell(1);
  }
  expect(waitedMs).toBeGreaterThan(50_000);
  // A minute of quiet, and the next is as quick as the first.
  await pass(10_000);
  await fetches.at(-1)!.end();
  const before = fetches.length;
  await pass(61_000);
  tell(1);
  await pass(150);
  expect(fetches).toHaveLength(before + 1);
});
