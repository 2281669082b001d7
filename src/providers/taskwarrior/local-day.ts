// A due time as the day people see, and back. Taskwarrior keeps a moment; a day begins where the person is, which is at
// one o'clock where the clocks skip midnight.
import { Temporal } from 'temporal-polyfill';

export type Calendar = ReturnType<typeof createCalendar>;

/** The calendar of `TZ` where it names a zone this runtime knows, else of the machine's own zone. */
export function createCalendar(env: Readonly<Record<string, string | undefined>>) {
  const timeZone = zoneOf(env.TZ?.replace(/^:/, ''));
  const localTimeOf = (second: number) =>
    Temporal.Instant.fromEpochMilliseconds(second * 1000).toZonedDateTimeISO(timeZone);
  return {
    /** `YYYY-MM-DD` of a moment in epoch seconds. */
    dayOf: (second: number): string => localTimeOf(second).toPlainDate().toString(),
    /**
     * The moment in epoch seconds at which `day` has the time of day that `like` has; its beginning without one.
     * @param day `YYYY-MM-DD`
     */
    momentOf(day: string, like: number | null): number {
      const plainTime = like === null ? undefined : localTimeOf(like).toPlainTime();
      const moment = Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime });
      return Math.floor(moment.epochMilliseconds / 1000);
    },
  };
}

/** True for a day of the calendar as `YYYY-MM-DD`: not 30 February. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  try {
    return Temporal.PlainDate.from(text).toString() === text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

function zoneOf(name: string | undefined): string {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!name) return own;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return own;
  }
}
