// Everything a layer may take from the outside world besides files and processes.
// Handed in by parameter, so that a test moves the clock by hand and fixes the randomness.

/** A timer that can be taken back; cancelling twice is harmless. */
export type Timer = { cancel(): void };

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
  /** Names of the secrets among them, which no program that we start inherits: whoever works with a secret adds its name. */
  readonly withheld: Set<string>;
}

// A signal looks through all its listeners for each that is added: thousands of sleepers share one.
const sleepers = new WeakMap<AbortSignal, Set<() => void>>();

function sleepersOn(signal: AbortSignal): Set<() => void> {
  const known = sleepers.get(signal);
  if (known !== undefined) return known;
  const waking = new Set<() => void>();
  sleepers.set(signal, waking);
  signal.addEventListener('abort', () => waking.forEach((wake) => void wake()), { once: true });
  return waking;
}

/** Resolves after `delayMs`, or at once when `signal` aborts (never rejects). */
export function sleep(effects: Effects, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const waking = signal && sleepersOn(signal);
    const timer = effects.setTimer(delayMs, done);
    function done(): void {
      timer.cancel();
      waking?.delete(done);
      resolve();
    }
    waking?.add(done);
  });
}

/** Others wait for the event loop no longer than this and one step. */
const HELD_MS = 20;

/** For many steps that each hold the event loop for some milliseconds: awaited before each it resolves at once, or, when the
 * loop was held for a while, after all else that waits had its turn. Steps that wait for it at the same time go on one
 * after the other, in several turns of the event loop where they take long. */
export function createPace({ monotonicMs }: Pick<Effects, 'monotonicMs'>): () => Promise<void> {
  let heldSince = monotonicMs();
  let last: Promise<void> = Promise.resolve();
  const letOthersIn = () =>
    new Promise<void>((resolve) =>
      setImmediate(() => {
        heldSince = monotonicMs();
        resolve();
      }),
    );
  const look = () => (monotonicMs() - heldSince < HELD_MS ? undefined : letOthersIn());
  return () => {
    last = last.then(look);
    return last;
  };
}
