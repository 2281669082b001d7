// Weeks as ISO 8601 counts them: they begin on Monday, and the first of a year is the one that holds its first Thursday.

export interface Week {
  name: string;
  /** Its Monday, `YYYY-MM-DD`. */
  from: string;
}

const DAY_MS = 86_400_000;

/**
 * The week that a moment lies in.
 * @param timezone IANA zone, null for the system's
 * @returns a function, which is quick for many moments
 */
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
  const year = new Date(mondayMs + 3 * DAY_MS).getUTCFullYear();
  // The fourth of January is always in the first week.
  const fourthMs = Date.UTC(year, 0, 4);
  const firstMondayMs = fourthMs - ((new Date(fourthMs).getUTCDay() + 6) % 7) * DAY_MS;
  const number = Math.round((mondayMs - firstMondayMs) / (7 * DAY_MS)) + 1;
  return {
    name: `${year}-W${String(number).padStart(2, '0')}`,
    from: new Date(mondayMs).toISOString().slice(0, 10),
  };
}
