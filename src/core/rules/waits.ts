// How long a failed turn waits, and how long an agent waits whose usage limit was reached. The second wait is the agent's: all
// its turns wait, and none of them has failed.

// How long a turn waits before it is tried again, after it failed or could not start.
const FIRST_MS = 10_000;
const CAP_MS = 300_000;
const PUT_OFF_FIRST_MS = 5_000;
const PUT_OFF_DOUBLINGS = 4;
/** Share of the delay that chance may add or take, so that threads that failed together do not come back together. */
const JITTER = 0.2;

/** Delay before the next attempt: `min(10 s · 2^(attempt − 1), 5 min)`, 20 % more or less by chance, so never above 6 min.
 * @param attempt How many attempts have failed, from 1; anything lower or not a number counts as 1.
 * @param random01 A random number in [0, 1]; 0.5 gives the delay without jitter.
 * @returns Whole milliseconds. */
export function retryDelayMs(attempt: number, random01: number): number {
  const failed = attempt >= 1 ? Math.floor(attempt) : 1;
  const chance = random01 >= 0 ? Math.min(random01, 1) : 0;
  const delay = Math.min(FIRST_MS * 2 ** (failed - 1), CAP_MS);
  return Math.round(delay * (1 - JITTER + 2 * JITTER * chance));
}

/** For a turn that a full disk, say, kept from starting `times` times in a row: 5 s, each time twice as long, 80 s at most. */
export const putOffDelayMs = (times: number): number =>
  PUT_OFF_FIRST_MS * 2 ** Math.min(Math.max(times, 1) - 1, PUT_OFF_DOUBLINGS);

/** Longer than any wait this gives, ms: what waits longer has a clock that was set back. */
export const LONGEST_RETRY_WAIT_MS = 10 * 60_000;

export interface LimitWait {
  since: number; // When the limit was met.
  until: number;
  times: number; // How often in a row it was met.
  /** The agent's words, where its account must be paid: only the person ends such a wait. Null for any other. */
  said: string | null;
}

const MINUTE_MS = 60_000;
const LONGEST_UNKNOWN_MS = 30 * MINUTE_MS;
const LONGEST_MS = 7 * 86_400_000; // No limit is believed to last longer: it is asked anew then.

/** The wait after a turn met the limit.
 * @param before the wait of that agent so far; null when it had none
 * @param startedAt when the turn began: one from before the wait met the same limit, not the next one
 * @param endsAt when the limit ends, epoch ms, as the agent reported it; null when it did not */
export function waitAfterLimit(
  before: LimitWait | null,
  { startedAt, endsAt }: { startedAt: number; endsAt: number | null },
  now: number,
): LimitWait {
  const isSame = before !== null && startedAt < before.since;
  const times = before === null ? 1 : before.times + (isSame ? 0 : 1);
  const isKnown = endsAt !== null && endsAt > now;
  // An agent that says "in a second" again and again waits longer each time like one that says nothing.
  const least = isKnown ? unknownWaitMs(times - 1) : unknownWaitMs(times);
  const until = Math.max(isKnown ? endsAt : 0, now + least, isSame ? before.until : 0);
  return { since: isSame ? before.since : now, until: Math.min(until, now + LONGEST_MS), times, said: null };
}

/** The wait of an agent whose account must be paid first: the longest possible, because only the person knows when it is paid. */
export function waitForPayment(said: string, now: number): LimitWait {
  return { since: now, until: now + LONGEST_MS, times: 1, said };
}

/** 1 min, each time twice as long, 30 min at most; nothing for the zeroth time. */
const unknownWaitMs = (times: number): number =>
  times < 1 ? 0 : Math.min(MINUTE_MS * 2 ** (times - 1), LONGEST_UNKNOWN_MS);

/** Until when the agent waits; null when that is over. A clock that went back behind the wait's beginning ends it. */
export const waitsUntil = (wait: LimitWait, now: number): number | null =>
  now >= wait.until || now < wait.since || wait.until - now > LONGEST_MS ? null : wait.until;

export interface Wait {
  until: number; // Epoch ms.
  why: 'usage_limit' | 'budget';
  text: string;
  said?: string | null; // The agent's own words, where only the person can end the wait.
}
