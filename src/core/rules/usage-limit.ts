// How long an agent waits whose usage limit was reached, and whether that is over. The wait is the agent's: all its turns
// wait, none of them has failed.

/** One agent's wait. Times are epoch ms. */
export interface LimitWait {
  /** When the limit was met. */
  since: number;
  until: number;
  /** How often in a row it was met. */
  times: number;
  /** The agent's words, where its account must be paid: only the person ends such a wait. Null for any other. */
  said: string | null;
}

const MINUTE_MS = 60_000;
const LONGEST_UNTOLD_MS = 30 * MINUTE_MS;
/** No limit is believed to last longer: it is asked anew then. */
const LONGEST_MS = 7 * 86_400_000;

/**
 * The wait after a turn met the limit.
 * @param before the wait of that agent so far; null when it had none
 * @param startedAt when the turn began: one from before the wait met the same limit, not the next one
 * @param told when the limit ends, as the agent said; null where it did not
 */
export function waitAfterLimit(
  before: LimitWait | null,
  { startedAt, told }: { startedAt: number; told: number | null },
  now: number,
): LimitWait {
  const isSame = before !== null && startedAt < before.since;
  const times = before === null ? 1 : before.times + (isSame ? 0 : 1);
  const isTold = told !== null && told > now;
  // An agent that says "in a second" again and again waits longer each time like one that says nothing.
  const least = isTold ? untoldWaitMs(times - 1) : untoldWaitMs(times);
  const until = Math.max(isTold ? told : 0, now + least, isSame ? before.until : 0);
  return { since: isSame ? before.since : now, until: Math.min(until, now + LONGEST_MS), times, said: null };
}

/** The wait of an agent whose account must be paid first: as long as a wait may be, for nobody else can tell when it is. */
export function waitForPayment(said: string, now: number): LimitWait {
  return { since: now, until: now + LONGEST_MS, times: 1, said };
}

/** 1 min, each time twice as long, 30 min at most; nothing for the zeroth time. */
function untoldWaitMs(times: number): number {
  return times < 1 ? 0 : Math.min(MINUTE_MS * 2 ** (times - 1), LONGEST_UNTOLD_MS);
}

/** Until when the agent waits; null when that is over. A clock that went back behind the wait's beginning ends it. */
export function waitsUntil(wait: LimitWait, now: number): number | null {
  if (now >= wait.until || now < wait.since || wait.until - now > LONGEST_MS) return null;
  return wait.until;
}
