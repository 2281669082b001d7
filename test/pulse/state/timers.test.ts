// What waits for its time, by what it is about; and that a thousand things due at once leave room for what else waits.
import { expect, test, vi } from 'vitest';
import { createNodeEffects } from '../../../src/node.ts';
import { createTimers } from '../../../src/pulse/state/timers.ts';
import { createManualClock } from '../../support/manual-clock.ts';

const effects = createNodeEffects({});
const onTrouble = (error: unknown) => expect.unreachable(String(error));

function hold(ms: number): void {
  const until = effects.monotonicMs() + ms;
  while (effects.monotonicMs() < until);
}

test('of many that are due at once others wait for a few, and each runs once', async () => {
  const timers = createTimers(effects, { onTrouble, keepsAlive: true });
  const ran: string[] = [];
  let turns = 0;
  await new Promise<void>((resolve) => {
    const look = () => {
      turns += 1;
      if (timers.waiting.size > 0) setImmediate(look);
      else resolve();
    };
    setImmediate(look);
    for (let index = 0; index < 40; index += 1)
      timers.set(`task ${index}`, 5, () => {
        ran.push(`task ${index}`);
        hold(5);
      });
  });
  expect([ran.length, new Set(ran).size]).toEqual([40, 40]);
  // 200 ms of work, 20 at a time; what ran before they were due counts too.
  const after = turns;
  expect(after).toBeGreaterThanOrEqual(8);
});

test('one that is taken back while it waits for its turn does not run', async () => {
  const timers = createTimers(effects, { onTrouble, keepsAlive: true });
  const ran: string[] = [];
  timers.set('first', 1, () => {
    ran.push('first');
    hold(30);
    setImmediate(() => timers.cancel('second'));
  });
  timers.set('second', 1, () => ran.push('second'));
  timers.set('third', 1, () => ran.push('third'));
  hold(5);
  await vi.waitUntil(() => timers.waiting.size === 0);
  expect([ran, timers.waiting.size]).toEqual([['first', 'third'], 0]);
});

test('one thing waits on a key, the latest', () => {
  const clock = createManualClock();
  const timers = createTimers(clock, { onTrouble, keepsAlive: true });
  const ran: string[] = [];
  timers.set('a', 100, () => ran.push('first'));
  timers.set('a', 200, () => ran.push('second'));
  clock.advance(300);
  expect(ran).toEqual(['second']);
  expect(timers.waiting.has('a')).toBe(false);
});
