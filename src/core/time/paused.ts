// How long a machine slept while something ran: the wall clock goes on, the monotonic one stands still.

export interface Moment {
  /** Epoch ms. */
  wallMs: number;
  monotonicMs: number;
}

// Below it both clocks merely differ in how they are kept.
const LEAST_MS = 2_000;

export function pausedBetween(start: Moment, end: Moment): number {
  const missing = end.wallMs - start.wallMs - (end.monotonicMs - start.monotonicMs);
  return missing < LEAST_MS ? 0 : Math.trunc(missing);
}
