// What waits for its time, by what it is about (a path that is looked at again, a task whose edits settle): one thing a
// key, the latest.
import type { Effects, Timer } from '../effects.ts';

export type KeyedTimers = ReturnType<typeof createKeyedTimers>;

/** Thousands of files that go or settle at once are due in one turn of the event loop, which others wait for. */
const LONGEST_BURST_MS = 20;

export function createKeyedTimers(effects: Effects) {
  const timers = new Map<string, Timer>();
  let closed = false;
  let heldMs = 0;

  /** Runs it, or leaves it for the next turn of the event loop when others took their time in this one. */
  function fire(key: string, timer: Timer, run: () => void): void {
    if (timers.get(key) !== timer) return;
    if (heldMs >= LONGEST_BURST_MS) return void setImmediate(() => fire(key, timer, run));
    timers.delete(key);
    const began = effects.monotonicMs();
    run();
    const tookMs = effects.monotonicMs() - began;
    if (heldMs === 0 && tookMs > 0)
      setImmediate(() => {
        heldMs = 0;
      });
    heldMs += tookMs;
  }

  function cancel(key: string): void {
    timers.get(key)?.cancel();
    timers.delete(key);
  }

  return {
    /** Does this after a while, in place of what waited on the key before. */
    set(key: string, delayMs: number, run: () => void): void {
      cancel(key);
      if (closed) return;
      const timer: Timer = effects.setTimer(delayMs, () => fire(key, timer, run));
      timers.set(key, timer);
    },
    cancel,
    has: (key: string): boolean => timers.has(key),
    keys: (): string[] => [...timers.keys()],
    count: (): number => timers.size,
    /** Takes everything back; nothing waits any more. */
    close(): void {
      closed = true;
      for (const key of [...timers.keys()]) cancel(key);
    },
  };
}
