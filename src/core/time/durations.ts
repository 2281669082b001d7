// Lengths of time, sizes and dates as a person writes them: `90s`, `64MiB`, `2026-12-24`, `tomorrow`, `+3d`; dates in this machine's time zone.
import { RoomError } from '../errors.ts';

// How long a machine slept while something ran: the wall clock goes on, the monotonic one stands still.
export interface Moment {
  wallMs: number; // Epoch ms.
  monotonicMs: number;
}

const LEAST_MS = 2_000; // Below it both clocks merely differ in how they are kept.

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

/** Milliseconds of `250ms`, `1s`, `5m`, `2h`, `14d` or a plain `0`; null for anything else.
 * Other plain numbers are refused: their unit would be a guess. Units are lower case, since `M` is a month elsewhere. */
export const parseDuration = (text: string): number | null =>
  text.trim() === '0' ? 0 : parseAmount(text, TIME_UNITS, true);

/** The shortest exact form: `90s` for 90,000, `0` for nothing. `ms` is a whole number, not negative. */
export function formatDuration(ms: number): string {
  const [name, factor] = TIME_UNITS.find((unit) => ms % unit[1] === 0)!;
  return ms === 0 ? '0' : `${ms / factor}${name}`;
}

/** Bytes of `64MiB`, `500kb` or a plain number of bytes; null for anything else. The unit's case does not count. */
export const parseBytes = (text: string): number | null =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : parseAmount(text, BYTE_UNITS, false);

// Instants as JSON has them.
export const isoOrNull = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());

// Dates as a person types them: `2026-12-24`, `today`, `tomorrow`, `friday`, `+3d`. They are read in this machine's time zone.

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NAMED: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const AWAY = /^([+-]?)(\d{1,4})([mhdw])$/;
const UNIT_MS = { m: 60_000, h: 3_600_000 } as const;
const DATE_EXAMPLES = 'such as 2026-12-24, 2026-12-24T18:00, tomorrow, friday or +3d';

/** The date that a text means, as a file holds it: `YYYY-MM-DD`, or with a time `YYYY-MM-DDTHH:MM`.
 * @param toward the side on which a weekday, and a distance without a sign, lies
 * @returns null for what is no date */
export function parseDate(text: string, nowMs: number, toward: 'future' | 'past' = 'future'): string | null {
  const word = text.trim();
  if (readDue(word) !== null) return word;
  const low = word.toLowerCase();
  const now = new Date(nowMs);
  const sign = toward === 'past' ? -1 : 1;
  if (Object.hasOwn(NAMED, low)) return dayAfter(now, NAMED[low]!);
  const weekday = low.length < 3 ? -1 : DAYS.findIndex((day) => day.startsWith(low));
  // Today's own weekday is the one a week away.
  if (weekday >= 0) return dayAfter(now, sign * ((sign * (weekday - now.getDay()) + 7) % 7 || 7));
  const [, given, amount, unit] = AWAY.exec(low) ?? [];
  if (amount === undefined) return null;
  const away = Number(amount) * (given === '-' ? -1 : given === '+' ? 1 : sign);
  if (unit === 'd' || unit === 'w') return dayAfter(now, unit === 'w' ? away * 7 : away);
  const at = new Date(nowMs + away * UNIT_MS[unit as 'm' | 'h']);
  return `${dayAfter(at, 0)}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}

/** The first and the last moment of a date that a file may hold, epoch ms: of a day its whole, of a time itself. Null for no date. */
export function spanOfDate(date: string | null): { startMs: number; endMs: number } | null {
  const end = date === null ? null : readDue(date);
  if (end === null) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(date!.trim());
  return { startMs: Date.parse(isDay ? `${date!.trim()}T00:00:00` : end), endMs: Date.parse(end) };
}

/** The first moment of what `since` may say: a date, or how long ago (`3d`). Epoch ms. @throws RoomError `bad_input` */
export function readSince(text: string, nowMs: number): number {
  const span = spanOfDate(parseDate(text, nowMs, 'past'));
  if (span !== null) return span.startMs;
  throw noDate('since', text);
}

export const noDate = (key: string, text: string): RoomError =>
  new RoomError('bad_input', `${key} is ${JSON.stringify(text)}, expected a date`, DATE_EXAMPLES);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A date of a file for people: `24 Dec`, with a year that is not this one's, and with its time; other text as it is. */
export function dateForPeople(date: string, nowMs: number): string {
  const [, year, month, day, time = ''] = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](.+))?$/.exec(date.trim()) ?? [];
  if (year === undefined) return date;
  const isThisYear = Number(year) === new Date(nowMs).getFullYear();
  return [Number(day), MONTHS[Number(month) - 1], isThisYear ? '' : year, time].filter(Boolean).join(' ');
}

function dayAfter(now: Date, days: number): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  const year = String(day.getFullYear()).padStart(4, '0');
  return `${year}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
}

const twoDigits = (number: number) => String(number).padStart(2, '0');
