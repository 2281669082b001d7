import { expect, test } from 'vitest';
import { sleep } from '../src/effects.ts';
import { createManualClock } from './support/manual-clock.ts';

test('thousands that sleep on one signal share one listener; all wake when it aborts, each when its time comes', async () => {
  const clock = createManualClock();
  const control = new AbortController();
  let listeners = 0;
  const add = control.signal.addEventListener.bind(control.signal);
  control.signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  const woken: string[] = [];
  const sleeping = ['short', ...Array.from({ length: 5_000 }, () => 'long')].map((name) =>
    sleep(clock, name === 'short' ? 10 : 1_000, control.signal).then(() => woken.push(name)),
  );
  expect(listeners).toBe(1);
  clock.advance(10);
  await sleeping[0];
  expect(woken).toEqual(['short']);
  control.abort();
  await Promise.all(sleeping);
  expect(woken).toHaveLength(5_001);
  await sleep(clock, 1_000, control.signal);
});
