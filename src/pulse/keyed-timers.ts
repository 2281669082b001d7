// What waits for its time, by what it is about (a path that is looked at again, a task whose edits settle): one thing a
// key, the latest.
import type { Effects, Timer } from '../effects.ts';

export interface KeyedTimers {
  /** Does this after a while, in place of what waited on the key before. */
  set(key: string, delayMs: number, run: () => void): void;
  cancel(key: string): void;
  has(key: string): boolean;
  keys(): string[];
  count(): number;
  /** Takes everything back; nothing waits any more. */
  close(): void;
}

export function createKeyedTimers(effects: Effects): KeyedTimers {
  const timers = new Map<string, Timer>();
  let closed = false;

  function cancel(key: string): void {
    timers.get(key)?.cancel();
    timers.delete(key);
  }

  return {
    set(key, delayMs, run) {
      cancel(key);
      if (closed) return;
      const timer = effects.setTimer(delayMs, () => {
        timers.delete(key);
        run();
      });
      timers.set(key, timer);
    },
    cancel,
    has: (key) => timers.has(key),
    keys: () => [...timers.keys()],
    count: () => timers.size,
    close() {
      closed = true;
      for (const key of [...timers.keys()]) cancel(key);
    },
  };
}
