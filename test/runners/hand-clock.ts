// Effects whose clock moves only when a test says so; everything else is real.
import { randomBytes } from 'node:crypto';
import type { Effects } from '../../src/effects.ts';

export interface HandClock extends Effects {
  /** Moves the clock and runs what became due, in order. */
  advance(ms: number): void;
}

export function createHandClock(): HandClock {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => 1_700_000_000_000 + now,
    monotonicMs: () => now,
    setTimer(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    randomBytes: (size) => randomBytes(size),
    fetch,
    env: process.env,
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers.delete(due);
        now = Math.max(now, due.at);
        due.run();
      }
      now = end;
    },
  };
}
