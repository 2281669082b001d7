// When a usage limit ends, read from an agent's own words. Pure: clock and zone come in.
import { isTimezone, nextTick } from '../../../core/time/schedule.ts';

/** The clock that words such as "at 4:21 AM" are read by. */
export interface WordClock {
  /** Epoch ms. */
  now: number;
  /** IANA zone for times that name none. */
  zone: string;
}

const SECOND = 1000;
const UNITS: Readonly<Record<string, number>> = {
  d: 86_400 * SECOND,
  h: 3_600 * SECOND,
  m: 60 * SECOND,
  s: SECOND,
};
/** Limits last a week or a month; a time further away was misread. */
const FURTHEST_MS = 62 * 86_400 * SECOND;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const LENGTH_WORDS = /\b(?:in|after)\s+((?:\d+(?:\.\d+)?\s*(?:ms|[a-z]+)[\s,]*(?:and\s+)?)+)/i;
const AMOUNT =
  /(\d+(?:\.\d+)?)\s*(ms\b|d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])/gi;
const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/;
const EPOCH = /\b(1[5-9]\d{8}|[2-3]\d{9})(\d{3})?\b/;
// "resets 4:21am (UTC)", "resets Nov 27 at 4am (Europe/Berlin)", "try again at Nov 27th, 2026 4:21 AM", "at 16:21"
const CLOCK =
  /\b(?:resets?|again|until|at|available)\s+(?:at\s+|on\s+)?(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap])?\.?m?\.?(?:\s*\(([A-Za-z][\w+-]*(?:\/[\w+-]+)*)\))?/gi;

/**
 * When a limit ends.
 * @returns epoch ms, later than `now` and at most two months away; null where the words do not say.
 */
export function readLimitEnd(words: string, clock: WordClock): number | null {
  const found = [isoTime, epochTime, clockTime, waitingTime].map((read) => read(words, clock));
  return found.find((at) => at !== null && isBelievable(at, clock.now)) ?? null;
}

/** A moment that a limit may end at, of a number of seconds or milliseconds since 1970; null for anything else. */
export function readEpoch(value: unknown, { now }: WordClock): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const at = Math.round(value < 1e11 ? value * SECOND : value);
  return isBelievable(at, now) ? at : null;
}

const isBelievable = (at: number, now: number) => at > now && at - now <= FURTHEST_MS;

function isoTime(words: string): number | null {
  const text = ISO.exec(words)?.[0];
  return text === undefined ? null : Date.parse(text);
}

function epochTime(words: string): number | null {
  const found = EPOCH.exec(words);
  return found === null ? null : Number(found[1]) * SECOND + Number(found[2] ?? 0);
}

function waitingTime(words: string, { now }: WordClock): number | null {
  const length = LENGTH_WORDS.exec(words)?.[1];
  if (length === undefined) return null;
  const amounts = [...length.matchAll(AMOUNT)];
  const ms = amounts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitMs(unit!), 0);
  return amounts.length === 0 ? null : now + Math.ceil(ms);
}

function unitMs(unit: string): number {
  return unit.toLowerCase() === 'ms' ? 1 : UNITS[unit[0]!.toLowerCase()]!;
}

function clockTime(words: string, clock: WordClock): number | null {
  for (const match of words.matchAll(CLOCK)) {
    const [, month, day, hour, minute, half, zone] = match;
    // A bare number is a time only with minutes, a half of the day or a date.
    if (minute === undefined && half === undefined) continue;
    const of24 =
      half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
    const monthNumber = month === undefined ? null : MONTHS.indexOf(month.toLowerCase()) + 1;
    if (of24 > 23 || Number(minute ?? 0) > 59 || monthNumber === 0) continue;
    const date = monthNumber === null ? '* *' : `${Number(day)} ${monthNumber}`;
    const at = zone !== undefined && isTimezone(zone) ? zone : clock.zone;
    const next = nextTime(`${Number(minute ?? 0)} ${of24} ${date} *`, at, clock.now);
    if (next !== null) return next;
  }
  return null;
}

function nextTime(schedule: string, zone: string, now: number): number | null {
  try {
    return nextTick(schedule, zone, now);
  } catch {
    // A day that no month has.
    return null;
  }
}
