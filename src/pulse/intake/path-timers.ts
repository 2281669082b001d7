// What waits for its time on a path (a look again, a confirmation, an id): one thing a path, the latest.
import type { Effects, Timer } from '../../effects.ts';

export interface PathTimers {
  /** Does this after a while, in place of what waited on the path before. */
  set(path: string, delayMs: number, run: () => void): void;
  cancel(path: string): void;
  has(path: string): boolean;
  paths(): string[];
  isEmpty(): boolean;
  /** Takes everything back; nothing waits any more. */
  close(): void;
}

export function createPathTimers(effects: Effects): PathTimers {
  const timers = new Map<string, Timer>();
  let closed = false;

  function cancel(path: string): void {
    timers.get(path)?.cancel();
    timers.delete(path);
  }

  return {
    set(path, delayMs, run) {
      cancel(path);
      if (closed) return;
      const timer = effects.setTimer(delayMs, () => {
        timers.delete(path);
        run();
      });
      timers.set(path, timer);
    },
    cancel,
    has: (path) => timers.has(path),
    paths: () => [...timers.keys()],
    isEmpty: () => timers.size === 0,
    close() {
      closed = true;
      for (const path of [...timers.keys()]) cancel(path);
    },
  };
}
