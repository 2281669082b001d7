// Dates as a person types them: `2026-12-24`, `today`, `tomorrow`, `friday`, `+3d`. They are read in this machine's time zone.
import { RoomError } from '../errors.ts';
import { readDue } from './durations.ts';

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NAMED: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const AWAY = /^([+-]?)(\d{1,4})([mhdw])$/;
const UNIT_MS = { m: 60_000, h: 3_600_000 } as const;

const DATE_EXAMPLES = 'such as 2026-12-24, 2026-12-24T18:00, tomorrow, friday or +3d';

/**
 * The date that a text means, as a file holds it: `YYYY-MM-DD`, or with a time `YYYY-MM-DDTHH:MM`.
 * @param toward the side on which a weekday, and a distance without a sign, lies
 * @returns null for what is no date
 */
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
