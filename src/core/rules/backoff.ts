// How long a turn waits before it is tried again, after it failed or could not start.

const FIRST_MS = 10_000;
const CAP_MS = 300_000;
const PUT_OFF_FIRST_MS = 5_000;
const PUT_OFF_DOUBLINGS = 4;
/** Share of the delay that chance may add or take, so that threads that failed together do not come back together. */
const JITTER = 0.2;

/**
 * Delay before the next attempt: `min(10 s · 2^(attempt − 1), 5 min)`, 20 % more or less by chance,
 * so never above 6 min.
 * @param attempt How many attempts have failed, from 1; anything lower or not a number counts as 1.
 * @param random01 A random number in [0, 1]; 0.5 gives the delay without jitter.
 * @returns Whole milliseconds.
 */
export function retryDelayMs(attempt: number, random01: number): number {
  const failed = attempt >= 1 ? Math.floor(attempt) : 1;
  const chance = random01 >= 0 ? Math.min(random01, 1) : 0;
  const delay = Math.min(FIRST_MS * 2 ** (failed - 1), CAP_MS);
  return Math.round(delay * (1 - JITTER + 2 * JITTER * chance));
}

/**
 * Delay before a turn is tried again that trouble outside (a full disk, say) kept from starting.
 * @param times how often in a row it could not start, from 1
 * @returns 5 s at first, each time twice as long, 80 s at most
 */
export function putOffDelayMs(times: number): number {
  return PUT_OFF_FIRST_MS * 2 ** Math.min(Math.max(times, 1) - 1, PUT_OFF_DOUBLINGS);
}

/** Longer than any wait this gives, ms: what waits longer has a clock that was set back. */
export const LONGEST_RETRY_WAIT_MS = 10 * 60_000;
