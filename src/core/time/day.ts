// Days as a time zone has them: a day may be 23 or 25 hours long, and need not begin at midnight.

export interface Day {
  /** Its first moment, epoch ms to the second. */
  startMs: number;
  /** The first moment of the next one. */
  endMs: number;
}

/** Longer than any day. */
const REACH_S = 26 * 3600;

/**
 * The day that a moment lies in.
 * @param timezone IANA zone, null for the system's
 */
export function dayOf(atMs: number, timezone: string | null): Day {
  const format = new Intl.DateTimeFormat('en', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    ...(timezone === null ? {} : { timeZone: timezone }),
  });
  const today = format.format(atMs);
  const isToday = (second: number) => format.format(second * 1000) === today;
  const second = Math.floor(atMs / 1000);
  const start = firstWhere(isToday, second - REACH_S, second);
  const end = firstWhere((at) => !isToday(at), second, second + REACH_S);
  return { startMs: start * 1000, endMs: end * 1000 };
}

/** The first whole number in `(low, high]` where the answer, once yes, stays yes. */
function firstWhere(answer: (at: number) => boolean, low: number, high: number): number {
  let no = low;
  let yes = high;
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2);
    if (answer(middle)) yes = middle;
    else no = middle;
  }
  return yes;
}
