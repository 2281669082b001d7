// Bad days of GitHub.
import { expect, test } from 'vitest';
import { badDaySuite } from './bad-day-suite.ts';
import { githubTracker } from './wire-room.ts';

const isLaterPage = ({ path }: { path: string }) => path.includes('after=');

const open = badDaySuite({
  start: githubTracker,
  days: [
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
  ],
  laterPages: () => isLaterPage,
  firstPage: 100,
});

test('a page that comes twice makes no task twice', async () => {
  const room = await open({ issues: 130 });
  room.tracker.proxy.once({ kind: 'duplicated' }, isLaterPage);
  expect(await room.run()).toMatchObject({ error: null });
  await room.later(120_000);
  expect(await room.run()).toMatchObject({ error: null });
  expect(room.tracker.proxy.waiting()).toBe(0);
  expect(room.paths()).toHaveLength(130);
  expect(new Set(room.process.sync.mirrors().map(({ ref }) => ref)).size).toBe(130);
});

test('a limit that asks for no wait is waited for longer each time', async () => {
  const room = await open({ issues: 1 });
  const stop = room.tracker.proxy.always({ kind: 'too_many', retryAfterSec: 0 });
  const before = room.tracker.proxy.asked.length;
  for (let second = 0; second < 120; second += 1) {
    expect((await room.run()).error).toMatchObject({ code: 'rate_limited' });
    room.effects.pass(1_000);
  }
  expect(room.tracker.proxy.asked.length - before).toBeLessThan(9);
  stop();
  await room.later(120_000);
  expect(await room.run()).toMatchObject({ error: null });
});
