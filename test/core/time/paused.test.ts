import { expect, test } from 'vitest';
import { pausedBetween } from '../../../src/core/time/durations.ts';

test.each([
  ['awake all the time', 10_000, 10_000, 0],
  ['clocks that differ a little', 10_000, 9_000, 0],
  ['an hour asleep', 3_610_000, 10_000, 3_600_000],
  ['a wall clock that was set back', -5_000, 10_000, 0],
])('%s', (_what, wallMs, monotonicMs, paused) => {
  expect(
    pausedBetween(
      { wallMs: 1_000, monotonicMs: 500 },
      { wallMs: 1_000 + wallMs, monotonicMs: 500 + monotonicMs },
    ),
  ).toBe(paused);
});
