// Everything a layer may take from the outside world besides files and processes.
// Handed in by parameter, so that a test moves the clock by hand and fixes the randomness.

/** A timer that can be taken back; cancelling twice is harmless. */
export interface Timer {
  cancel(): void;
}

export interface Effects {
  /** Wall clock, epoch milliseconds. May jump backwards. */
  now(): number;
  /** Milliseconds on a clock that never goes backwards; its zero means nothing. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; does not keep the process alive when `background`. */
  setTimer(delayMs: number, run: () => void, background?: boolean): Timer;
  /** Cryptographically strong random bytes. */
  randomBytes(size: number): Uint8Array;
  /** One HTTP request, as the platform's own `fetch`. */
  readonly fetch: typeof globalThis.fetch;
  /** Environment variables, read once at the edge. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Resolves after `delayMs`, or at once when `signal` aborts (never rejects). */
export function sleep(effects: Effects, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = effects.setTimer(delayMs, done);
    function done(): void {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done, { once: true });
  });
}
