// Effects whose clock moves by hand. What waits for a moment (a file to rest, another process) gets it at once, and the
// clock is then as late as that wanted; what waits longer is let go by the test alone.
import type { Effects } from '../../src/effects.ts';

// Longer than any rest a file is given, shorter than any patience with a server.
const MOMENT_MS = 2_500;

export type SharedClock = { nowMs: number; monotonicMs: number };

export interface ClockedEffects extends Effects {
  /** Moves the clock; timers whose time has come go off. */
  pass(ms: number): void;
  /** Timers that wait for the test. */
  waiting(): number;
  /** No timer goes off any more: the process is dead. */
  end(): void;
}

export function createClockedEffects(
  clock: SharedClock,
  random: () => number,
  outside: Partial<Pick<Effects, 'env' | 'fetch'>> = {},
): ClockedEffects {
  let over = false;
  const waiting = new Set<{ dueAt: number; run: () => void }>();
  const advance = (ms: number): void => {
    clock.nowMs += ms;
    clock.monotonicMs += ms;
  };
  return {
    withheld: new Set(),
    now: () => clock.nowMs,
    monotonicMs: () => clock.monotonicMs,
    setTimer(delayMs, run) {
      const timer = { dueAt: clock.monotonicMs + delayMs, run };
      waiting.add(timer);
      if (delayMs <= MOMENT_MS)
        setImmediate(() => {
          if (over || !waiting.delete(timer)) return;
          advance(delayMs);
          run();
        });
      return { cancel: () => void waiting.delete(timer) };
    },
    randomBytes: (size) => Uint8Array.from({ length: size }, () => Math.floor(random() * 256)),
    fetch: () => Promise.reject(new Error('nothing is fetched here')),
    env: {},
    ...outside,
    pass(ms) {
      advance(ms);
      for (const timer of [...waiting])
        if (timer.dueAt <= clock.monotonicMs && waiting.delete(timer)) timer.run();
    },
    waiting: () => waiting.size,
    end() {
      over = true;
      waiting.clear();
    },
  };
}
