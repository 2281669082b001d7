// What requests to every tracker share: a time limit, and how much a tracker lets us ask of it in an hour, as its answers tell.
import { RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import type { Usage } from './provider.ts';

const HOUR_MS = 3_600_000;
/** What a limit waits for that names no time. */
export const DEFAULT_WAIT_MS = 60_000;

/** A header of an answer, by its lower-case name. */
export type ReadHeader = (name: string) => string | null | undefined;

/** How long `retry-after` asks to wait, from a second to an hour; null where it does not say. */
export function retryAfterOf(header: ReadHeader): number | null {
  const seconds = Number(header('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1_000, HOUR_MS) : null;
}

/** `resetAt` on the server's clock, epoch ms; `waitMs` until then. */
type Budget = Record<'limit' | 'remaining' | 'resetAt' | 'waitMs', number>;

/**
 * The budget an answer tells, null where it tells none.
 * @param prefix of the headers that end in `limit`, `remaining` and `reset`
 * @param unitMs of `reset`
 * @param now this machine's clock, for an answer without a date
 */
export function readBudget(header: ReadHeader, prefix: string, unitMs: number, now: number): Budget | null {
  const read = (name: string) => Number(header(`${prefix}${name}`) || Number.NaN);
  const [limit, remaining, reset] = [read('limit'), read('remaining'), read('reset')];
  if (!Number.isFinite(remaining) || !Number.isFinite(reset)) return null;
  const resetAt = Math.round(reset * unitMs);
  const servedAt = Date.parse(header('date') ?? '');
  const leftMs = resetAt - (Number.isNaN(servedAt) ? now : servedAt);
  // A reset in whole seconds may come at the end of its second.
  const waitMs = Math.min(Math.max(leftMs + (unitMs === 1 ? 0 : unitMs), 1_000), HOUR_MS);
  return { limit, remaining, resetAt, waitMs };
}

/**
 * Keeps account of one budget.
 * @param unit what it counts, for people: `requests`
 * @param share of the budget that is left to a person and to other programs with the same credentials
 */
export function createBudget(tracker: string, unit: string, share: number, monotonicMs: () => number) {
  let known: (Budget & { until: number }) | null = null;
  /** Until a spent budget is new; 0 while more than the share is left. */
  const waitMs = () =>
    known !== null && known.remaining < known.limit * share ? Math.max(0, known.until - monotonicMs()) : 0;
  return {
    note(budget: Budget | null): void {
      if (budget === null) return;
      const limit = budget.limit || known?.limit || budget.remaining;
      known = { ...budget, limit, until: monotonicMs() + budget.waitMs };
    },
    waitMs,
    /** @throws RoomError `rate_limited` when what is left is not ours to spend */
    assertLeft(): void {
      const retryAfterMs = waitMs();
      if (retryAfterMs <= 0) return;
      const message = `${tracker} allows ${known!.remaining} more ${unit} of ${known!.limit} in this hour`;
      throw new RoomError('rate_limited', message, { retryAfterMs });
    },
    usage(): Pick<Usage, 'remaining' | 'resetAt'> {
      return { remaining: known?.remaining ?? null, resetAt: known?.resetAt ?? null };
    },
  };
}

/**
 * Runs a request until its whole answer is there.
 * @param given the caller's own signal
 * @throws an Error that says so when the time is over
 */
export async function underTimeLimit<T>(
  effects: Effects,
  limitMs: number,
  given: AbortSignal | null | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const reason = new Error(`no whole answer within ${limitMs / 1_000} s`);
  const timer = effects.setTimer(limitMs, () => late.abort(reason), true);
  try {
    return await run(given ? AbortSignal.any([given, late.signal]) : late.signal);
  } catch (error) {
    throw late.signal.aborted && !given?.aborted ? reason : error;
  } finally {
    timer.cancel();
  }
}

/** What really broke: `fetch failed` says nothing. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}
