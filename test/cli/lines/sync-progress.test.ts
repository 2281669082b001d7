import { expect, test } from 'vitest';
import { createSyncWatch } from '../../../src/cli/lines/progress.ts';
import type { RoomEvent } from '../../../src/core/events.ts';

type Progress = Extract<RoomEvent, { type: 'sync.progress' }>;

/** A watch on a clock that is moved by hand. */
function rig() {
  const timers = new Set<{ at: number; run: () => void }>();
  const told: string[] = [];
  let now = 0;
  const setTimer = (delayMs: number, run: () => void) => {
    const timer = { at: now + delayMs, run };
    timers.add(timer);
    return { cancel: () => void timers.delete(timer) };
  };
  const watch = createSyncWatch({ setTimer }, (chore, text) => told.push(`${chore}: ${text}`));
  const start = (chore: string) =>
    watch.see({ type: 'sync.started', chore, provider: 'github', source: 'acme/web', direction: 'both' });
  const progress = (phase: Progress['phase'], done: number, total: number | null) =>
    watch.see({ type: 'sync.progress', chore: 'web', phase, done, total });
  const fail = (chore: string) =>
    watch.see({
      type: 'sync.failed',
      chore,
      direction: 'both',
      code: 'unavailable',
      message: 'x',
      hint: null,
      requests: 0,
      remaining: null,
    });
  const pass = (ms: number) => {
    now += ms;
    for (const timer of [...timers].filter(({ at }) => at <= now)) {
      timers.delete(timer);
      timer.run();
    }
  };
  return { watch, told, start, progress, fail, pass, timers };
}

test('a quick sync has no line; a long one says how far it is, every ten seconds', () => {
  const { told, start, progress, fail, pass, timers } = rig();
  start('web');
  progress('applying', 20, 10_000);
  pass(1_999);
  fail('web');
  pass(60_000);
  expect(told).toEqual([]);
  expect(timers.size).toBe(0);

  start('web');
  pass(2_000);
  progress('pulling', 3, null);
  progress('applying', 400, 10_000);
  pass(9_999);
  expect(told).toEqual(['web: asking the tracker']);
  pass(1);
  progress('pulling', 5, null);
  pass(10_000);
  expect(told.slice(1)).toEqual(['web: writing tasks (400 of 10000)', 'web: asking for changes (5)']);
});
