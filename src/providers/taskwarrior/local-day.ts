// A due time as the day people see, and back. Taskwarrior keeps a moment; a day has its midnight where the person is.

export interface Calendar {
  /** `YYYY-MM-DD` of a moment in epoch seconds. */
  dayOf(second: number): string;
  /**
   * The moment in epoch seconds at which `day` has the time of day that `like` has; midnight without one.
   * @param day `YYYY-MM-DD`
   */
  momentOf(day: string, like: number | null): number;
}

const DAY_MS = 86_400_000;

/** The calendar of `TZ` where it names a zone this runtime knows, else of the machine's own zone. */
export function createCalendar(env: Readonly<Record<string, string | undefined>>): Calendar {
  const format = createFormat(env.TZ?.replace(/^:/, ''));

  /** The wall clock of that moment, as if it was UTC: epoch ms. */
  function wallOf(atMs: number): number {
    const parts = format.formatToParts(atMs);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value);
    const time = [part('hour'), part('minute'), part('second')] as const;
    return Date.UTC(part('year'), part('month') - 1, part('day'), ...time);
  }

  return {
    dayOf: (second) => new Date(wallOf(second * 1000)).toISOString().slice(0, 10),
    momentOf(day, like) {
      const time = like === null ? 0 : wallOf(like * 1000) % DAY_MS;
      const wanted = Date.parse(`${day}T00:00:00Z`) + time;
      // The offset there may differ from the one a first guess falls on: around a change of the clocks.
      let at = wanted;
      for (let round = 0; round < 2; round += 1) at = wanted - (wallOf(at) - at);
      return Math.floor(at / 1000);
    },
  };
}

function createFormat(zone: string | undefined): Intl.DateTimeFormat {
  const fields = {
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  try {
    return new Intl.DateTimeFormat('en', zone ? { ...fields, timeZone: zone } : fields);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return new Intl.DateTimeFormat('en', fields);
  }
}
