// One timer for work that comes back: armed anew by each run, so that a long one never piles up. What fails is told.
import type { Effects, Timer } from '../effects.ts';

export type Alarm = ReturnType<typeof createAlarm>;

// Laptops sleep and clocks are set: what waits for a time of day never waits without a look at the clock for longer.
export const LONGEST_WAIT_MS = 60_000;

export function createAlarm(effects: Pick<Effects, 'setTimer'>, onTrouble: (error: unknown) => void) {
  let timer: Timer | null = null;
  let closed = false;

  async function attempt(run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      onTrouble(error);
    }
  }

  return {
    /** Does this after a while, in place of what it was set for before. It keeps no process alive. */
    set(delayMs: number, run: () => unknown): void {
      timer?.cancel();
      if (closed) return;
      timer = effects.setTimer(delayMs, () => void attempt(run), true);
    },
    close(): void {
      closed = true;
      timer?.cancel();
    },
  };
}
