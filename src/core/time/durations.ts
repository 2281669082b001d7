// Lengths of time and sizes as a person writes them: a whole number and a unit, `90s`, `64MiB`.

// How long a machine slept while something ran: the wall clock goes on, the monotonic one stands still.
export interface Moment {
  /** Epoch ms. */
  wallMs: number;
  monotonicMs: number;
}

// Below it both clocks merely differ in how they are kept.
const LEAST_MS = 2_000;

export function pausedBetween(start: Moment, end: Moment): number {
  const missing = end.wallMs - start.wallMs - (end.monotonicMs - start.monotonicMs);
  return missing < LEAST_MS ? 0 : Math.trunc(missing);
}

// The dates that `due:` may hold: a day, or a day with a time.
const DUE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/;

/** A due date as `Date.parse` reads it, without a zone local time; a day lasts to its end. Null for what is no date. */
export function readDue(text: string): string | null {
  const match = DUE.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', zone = ''] = match;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  if (hour === undefined) return `${year}-${month}-${day}T23:59:59.999`;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}

/** The moment of a due date, epoch ms; null without one that can be read. Days end in this machine's time zone. */
export function dueMoment(due: string | null): number | null {
  const text = due === null ? null : readDue(due);
  return text === null ? null : Date.parse(text);
}

const TIME_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

const BYTE_UNITS = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['GB', 1e9],
  ['MB', 1e6],
  ['KB', 1e3],
  ['B', 1],
] as const;

type Unit = readonly [name: string, factor: number];

function parseAmount(text: string, units: readonly Unit[], sameCase: boolean): number | null {
  const match = /^(\d{1,15}) ?([A-Za-z]+)$/.exec(text.trim());
  if (!match) return null;
  const fold = (word: string): string => (sameCase ? word : word.toLowerCase());
  const unit = units.find(([name]) => fold(name) === fold(match[2]!));
  if (!unit) return null;
  const amount = Number(match[1]) * unit[1];
  return Number.isSafeInteger(amount) ? amount : null;
}

/**
 * Milliseconds of `250ms`, `1s`, `5m`, `2h`, `14d` or a plain `0`; null for anything else.
 * Other plain numbers are refused: their unit would be a guess. Units are lower case, since `M` is a month elsewhere.
 */
export function parseDuration(text: string): number | null {
  if (text.trim() === '0') return 0;
  return parseAmount(text, TIME_UNITS, true);
}

/** The shortest exact form: `90s` for 90,000, `0` for nothing. `ms` is a whole number, not negative. */
export function formatDuration(ms: number): string {
  const [name, factor] = TIME_UNITS.find((unit) => ms % unit[1] === 0)!;
  return ms === 0 ? '0' : `${ms / factor}${name}`;
}

/** Bytes of `64MiB`, `500kb` or a plain number of bytes; null for anything else. The unit's case does not count. */
export function parseBytes(text: string): number | null {
  if (/^\d{1,15}$/.test(text.trim())) return Number(text.trim());
  return parseAmount(text, BYTE_UNITS, false);
}

// Instants as JSON has them.
export const isoOrNull = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());
