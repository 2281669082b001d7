// Timers by key (a path that is read again, a task whose edits are debounced, the next rescan): one a key, the latest. What
// a timer's work throws is told.
import type { Effects, Timer } from '../effects.ts';

export type Timers = ReturnType<typeof createTimers>;

/** Laptops sleep and clocks are set: whatever waits for a time of day looks at the clock at least this often. */
export const LONGEST_WAIT_MS = 60_000;
/** Thousands of keys can be due in one turn of the event loop, which others wait for. */
const LONGEST_BURST_MS = 20;

interface TimersOptions {
  onTrouble(error: unknown): void;
  /** The process lives as long as one of them waits. */
  keepsAlive: boolean;
  /** Called when the work of a timer has run. */
  onRun?(): void;
}

export function createTimers(effects: Pick<Effects, 'setTimer' | 'monotonicMs'>, options: TimersOptions) {
  const timers = new Map<unknown, Timer>();
  let closed = false;
  let heldMs = 0;

  /** Runs the work, or leaves it for the next turn of the event loop when other work took its time in this one. */
  function fire(key: unknown, timer: Timer, run: () => unknown): void {
    if (timers.get(key) !== timer) return;
    if (heldMs >= LONGEST_BURST_MS) return void setImmediate(() => fire(key, timer, run));
    timers.delete(key);
    const began = effects.monotonicMs();
    void attempt(run);
    const tookMs = effects.monotonicMs() - began;
    if (heldMs === 0 && tookMs > 0)
      setImmediate(() => {
        heldMs = 0;
      });
    heldMs += tookMs;
  }

  async function attempt(run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      options.onTrouble(error);
    }
    options.onRun?.();
  }

  function cancel(key: unknown): void {
    timers.get(key)?.cancel();
    timers.delete(key);
  }

  return {
    /** Does this after a while, in place of what waited on the key before. */
    set(key: unknown, delayMs: number, run: () => unknown): void {
      cancel(key);
      if (closed) return;
      const timer = effects.setTimer(delayMs, () => fire(key, timer, run), !options.keepsAlive);
      timers.set(key, timer);
    },
    cancel,
    has: (key: unknown): boolean => timers.has(key),
    keys: (): unknown[] => [...timers.keys()],
    count: (): number => timers.size,
    isClosed: (): boolean => closed,
    /** Takes everything back; nothing waits any more. */
    close(): void {
      closed = true;
      for (const key of [...timers.keys()]) cancel(key);
    },
  };
}
