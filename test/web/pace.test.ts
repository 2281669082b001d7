// Looks come at once, and less often the longer something is touched without rest.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPaced } from '../../src/web/room/pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function touchFor(ms: number, touch: () => void): Promise<void> {
  for (let at = 0; at < ms; at += 50) {
    touch();
    await vi.advanceTimersByTimeAsync(50);
  }
}

test('one touch is one look, at once', async () => {
  const look = vi.fn(async () => {});
  createPaced(look, 300, 1_200).touch();
  await vi.advanceTimersByTimeAsync(0);
  expect(look).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(look).toHaveBeenCalledTimes(1);
});

test('looks are further apart while there is no rest, and as before after one', async () => {
  const times: number[] = [];
  const paced = createPaced(async () => void times.push(performance.now()), 300, 1_200);
  const start = performance.now();
  await touchFor(5_000, paced.touch);
  expect(times.map((time) => time - start)).toEqual([0, 300, 900, 2_100, 3_300, 4_500]);
  await vi.advanceTimersByTimeAsync(10_000);
  const again = performance.now();
  times.length = 0;
  await touchFor(400, paced.touch);
  expect(times.map((time) => time - again)).toEqual([0, 300]);
});

test('a look that took very long, on a page that stood still, is followed by another soon', async () => {
  const times: number[] = [];
  const paced = createPaced(async () => {
    times.push(performance.now());
    if (times.length === 1) await new Promise((resolve) => setTimeout(resolve, 20_000));
  }, 300);
  paced.touch();
  await vi.advanceTimersByTimeAsync(10_000);
  paced.touch();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(times).toHaveLength(2);
});
