// Days as a time zone has them: a day may be 23 or 25 hours long, and need not begin at midnight.

// Weeks as ISO 8601 counts them: they begin on Monday, and the first of a year is the one that holds its first Thursday.
interface Week {
  name: string;
  from: string; // Its Monday, `YYYY-MM-DD`.
}

const DAY_MS = 86_400_000;

/** The week of a moment, as a function that is quick for many. @param timezone IANA zone, null for the system's */
export function weekIn(timezone: string | null): (atMs: number) => Week {
  // The one locale whose short dates are ISO's.
  const format = new Intl.DateTimeFormat('en-CA', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    ...(timezone === null ? {} : { timeZone: timezone }),
  });
  return (atMs) => weekOfDate(format.format(atMs));
}

/** @param date `YYYY-MM-DD` */
function weekOfDate(date: string): Week {
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  const sinceMonday = (new Date(dayMs).getUTCDay() + 6) % 7;
  const mondayMs = dayMs - sinceMonday * DAY_MS;
  const thursdayMs = mondayMs + 3 * DAY_MS;
  const year = new Date(thursdayMs).getUTCFullYear();
  const number = Math.floor((thursdayMs - Date.UTC(year, 0)) / (7 * DAY_MS)) + 1;
  const name = `${year}-W${String(number).padStart(2, '0')}`;
  return { name, from: new Date(mondayMs).toISOString().slice(0, 10) };
}

export type Day = { startMs: number; endMs: number };

const REACH_S = 26 * 3600; // Longer than any day.

/** The day that a moment lies in. @param timezone IANA zone, null for the system's */
export function dayOf(atMs: number, timezone: string | null): Day {
  const dateOf = timezone === null ? dateHere : datesIn(timezone);
  const today = dateOf(atMs);
  const isToday = (second: number) => dateOf(second * 1000) === today;
  const second = Math.floor(atMs / 1000);
  const start = firstWhere(isToday, second - REACH_S, second);
  const end = firstWhere((at) => !isToday(at), second, second + REACH_S);
  return { startMs: start * 1000, endMs: end * 1000 };
}

/** In the system's zone. Without `Intl`: its first format costs a process five megabytes. */
function dateHere(atMs: number): string {
  const at = new Date(atMs);
  return `${at.getFullYear()} ${at.getMonth()} ${at.getDate()}`;
}

function datesIn(timeZone: string): (atMs: number) => string {
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', { ...parts, timeZone });
  return (atMs) => format.format(atMs);
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
