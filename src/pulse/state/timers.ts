// Timers by key (a path that is read again, the next rescan): one a key, the latest. What a timer's work throws is reported.
import type { Effects, Timer } from '../../effects.ts';

export type Timers = ReturnType<typeof createTimers>;

/** Laptops sleep and clocks are set: whatever waits for a time of day looks at the clock at least this often. */
export const LONGEST_WAIT_MS = 60_000;
/** Thousands of keys can be due in one turn of the event loop, which others wait for. */
const LONGEST_BURST_MS = 20;

interface TimersOptions {
  onTrouble(error: unknown): void;
  keepsAlive: boolean; // The process lives as long as one of them waits.
  onRun?(): void;
}

export function createTimers(effects: Pick<Effects, 'setTimer' | 'monotonicMs'>, options: TimersOptions) {
  const waiting = new Map<unknown, Timer>();
  const closing = new AbortController();
  let heldMs = 0;

  /** Runs the work, or leaves it for the next turn of the event loop when other work took its time in this one. */
  async function fire(key: unknown, timer: Timer, run: () => unknown): Promise<void> {
    if (waiting.get(key) !== timer) return;
    if (heldMs >= LONGEST_BURST_MS) return void setImmediate(() => fire(key, timer, run));
    waiting.delete(key);
    const began = effects.monotonicMs();
    const work = (async () => run())();
    const tookMs = effects.monotonicMs() - began;
    if (heldMs === 0 && tookMs > 0)
      setImmediate(() => {
        heldMs = 0;
      });
    heldMs += tookMs;
    await work.catch(options.onTrouble);
    options.onRun?.();
  }

  function cancel(key: unknown): void {
    waiting.get(key)?.cancel();
    waiting.delete(key);
  }

  return {
    cancel,
    waiting: waiting as ReadonlyMap<unknown, Timer>,
    closed: closing.signal as { readonly aborted: boolean },
    /** Does this after a while, in place of what waited on the key before. */
    set(key: unknown, delayMs: number, run: () => unknown): void {
      cancel(key);
      if (closing.signal.aborted) return;
      const timer = effects.setTimer(delayMs, () => void fire(key, timer, run), !options.keepsAlive);
      waiting.set(key, timer);
    },
    close(): void {
      closing.abort();
      for (const key of [...waiting.keys()]) cancel(key);
    },
  };
}
