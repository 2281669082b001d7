// Work that must be done though disk or ledger refuse it now: what fails is told, and tried again, later and later, until
// it works.
import type { Effects, Timer } from '../effects.ts';

/** Makes of `work` what does it now, and again after growing waits while it throws. What it returns never throws. */
export type Keep = (work: () => void) => () => void;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/** @param onMended something that failed before has worked */
export function createPersistence(
  effects: Pick<Effects, 'setTimer'>,
  onTrouble: (error: unknown) => void,
  onMended: () => void,
) {
  const waiting = new Map<() => void, Timer>();
  let closed = false;

  function keep(work: () => void): () => void {
    let failures = 0;
    function attempt(): void {
      waiting.get(attempt)?.cancel();
      waiting.delete(attempt);
      if (closed) return;
      try {
        work();
      } catch (error) {
        onTrouble(error);
        const delayMs = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
        failures += 1;
        waiting.set(attempt, effects.setTimer(delayMs, attempt, true));
        return;
      }
      if (failures > 0) onMended();
      failures = 0;
    }
    return attempt;
  }

  return {
    keep,
    /** True when nothing waits to be tried again. */
    isQuiet: (): boolean => waiting.size === 0,
    close(): void {
      closed = true;
      for (const timer of waiting.values()) timer.cancel();
    },
  };
}
