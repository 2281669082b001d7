// When a chore ticks: cron and `every 5m` as everywhere in a room, and recurrence rules besides. Kept apart from
// schedule.ts, because the rules' library is more than every command should load.
import { RRuleTemporal } from 'rrule-temporal';
import { checkCron, nextTick, reasonOf } from '../time/schedule.ts';

// Recurrence rules of RFC 5545 as a schedule: `RRULE:FREQ=WEEKLY;BYDAY=MO`, with a DTSTART before it or counted from a
// fixed Monday at midnight. Invariant: what the rule says is what runs; a part that would be passed over is refused.
/** What a rule without DTSTART counts from: a Monday, the first of a month and of a leap year. */
const ANCHOR = '20240101T000000';
/** How far the library looks for a tick: years for rules that can happen, half a second for one that can not. */
const MAX_PERIODS = 3_000;
const FORM = /^(?:DTSTART(?:;TZID=([^:;\s]+))?:(\d{8}(?:T\d{6})?)(Z?)\s+)?RRULE:(\S+)$/i;
const FREQUENCIES = ['MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const DAYS = /^(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)$/;

/** Ranges of the numbers that each part takes; below zero counts from the end. */
const NUMBERS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  INTERVAL: [1, 100_000],
  COUNT: [1, 100_000],
  BYMONTH: [1, 12],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYSECOND: [0, 59],
  BYSETPOS: [-366, 366],
};
const PARTS = ['FREQ', ...Object.keys(NUMBERS), 'BYDAY', 'UNTIL', 'WKST'];
const SINGLE = ['INTERVAL', 'COUNT'];

/** True for a schedule that means to be a recurrence rule. */
const isRecurrence = (expression: string): boolean => /^\s*(?:RRULE|DTSTART)\b/i.test(expression);

/** A rule; `zone` counts where it names none. @throws Error in words for a person: it can't be read, or never ticks */
function openRecurrence(expression: string, zone: string): RRuleTemporal {
  const form = FORM.exec(expression.trim());
  if (form === null)
    throw new Error('a rule reads RRULE:FREQ=…, with DTSTART:20260101T090000 before it if need be');
  const [, tzid, start, utc = '', parts = ''] = form;
  checkParts(parts.toUpperCase(), start !== undefined);
  const day = start ?? ANCHOR;
  const at = `${day}${day.includes('T') ? '' : 'T000000'}${utc.toUpperCase()}`;
  const named = utc === '' ? `;TZID=${tzid ?? zone}` : '';
  return new RRuleTemporal({
    rruleString: `DTSTART${named}:${at}\nRRULE:${parts.toUpperCase()}`,
    strict: true,
    cache: false,
    maxIterations: MAX_PERIODS,
  });
}

/** The first tick after a moment, epoch ms; null when there is none. */
function tickAfter(rule: RRuleTemporal, timeMs: number): number | null {
  try {
    return rule.next(new Date(timeMs))?.epochMilliseconds ?? null;
  } catch (error) {
    if (error instanceof Error && /^Maximum/.test(error.message)) return null;
    throw error;
  }
}

// The library drops what it does not know; a mistyped part would run at other times than were meant.
function checkParts(rule: string, hasStart: boolean): void {
  const seen = new Set<string>();
  for (const part of rule.split(';')) {
    const [, name, value] = /^([A-Z]+)=(.+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined) throw new Error(`"${part}" is not NAME=value`);
    if (!PARTS.includes(name)) throw new Error(`unknown part ${name}; a rule takes ${PARTS.join(', ')}`);
    if (seen.has(name)) throw new Error(`${name} stands in the rule twice`);
    seen.add(name);
    checkPart(name, value);
  }
  if (!seen.has('FREQ')) throw new Error(`FREQ is missing: one of ${FREQUENCIES.join(', ')}`);
  if (seen.has('COUNT') && !hasStart) throw new Error('COUNT needs a DTSTART to count from');
}

function checkPart(name: string, value: string): void {
  const range = NUMBERS[name];
  if (range !== undefined) return checkNumbers(name, value, range);
  if (name === 'FREQ' && !FREQUENCIES.includes(value)) {
    const hint = value === 'SECONDLY' ? 'write every 30s instead, or ' : '';
    throw new Error(`FREQ=${value}: ${hint}use one of ${FREQUENCIES.join(', ')}`);
  }
  if (name === 'BYDAY' && !value.split(',').every((day) => DAYS.test(day)))
    throw new Error(`BYDAY=${value}: days are MO, TU, WE, TH, FR, SA, SU, as in 2MO or -1FR too`);
  if (name === 'WKST' && !/^(?:MO|TU|WE|TH|FR|SA|SU)$/.test(value))
    throw new Error(`WKST=${value} is no day`);
  if (name === 'UNTIL' && !/^\d{8}(?:T\d{6}Z?)?$/.test(value))
    throw new Error(`UNTIL=${value}: a time reads 20261231T235959Z`);
}

function checkNumbers(name: string, value: string, [min, max]: readonly [number, number]): void {
  const items = value.split(',');
  if (SINGLE.includes(name) && items.length > 1) throw new Error(`${name} takes one number`);
  for (const item of items) {
    const number = /^[+-]?\d{1,6}$/.test(item) ? Number(item) : Number.NaN;
    const ok = number >= min && number <= max && !(min < 0 && number === 0);
    if (!ok) throw new Error(`${name}=${item}: a number from ${min} to ${max}${min < 0 ? ' but 0' : ''}`);
  }
}

const MAX_LENGTH = 400;
const EVERY = /^\s*every\s/i; // `every 5m` counts from the last run, the others from the clock.

/** What is wrong with a chore's schedule, in words for a person, or null when it is fine. */
export function checkChoreSchedule(expression: string): string | null {
  if (expression.length > MAX_LENGTH) return `a schedule is at most ${MAX_LENGTH} characters long`;
  if (!isRecurrence(expression)) return checkCron(expression);
  try {
    // A rule may be over by now; only one that never ticks at all is a mistake.
    return tickAfter(open(expression, 'UTC'), 0) === null ? 'it never happens' : null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** True when ticks are counted from the last run. */
export const isInterval = (expression: string): boolean => EVERY.test(expression);

/** The first tick strictly after a moment; for `every 5m` that moment plus five minutes.
 * @param timezone IANA zone, null for the system's.
 * @returns epoch ms, or null when there is none, also for a schedule that can't be read */
export function nextChoreTick(expression: string, timezone: string | null, afterMs: number): number | null {
  try {
    if (!isRecurrence(expression)) return nextTick(expression, timezone, afterMs);
    return tickAfter(open(expression, timezone ?? systemZone()), afterMs);
  } catch {
    return null;
  }
}

const opened = new Map<string, RRuleTemporal>();
const MAX_OPENED = 200;

// Opening a rule takes milliseconds, and each look asks for each rule.
function open(expression: string, zone: string): RRuleTemporal {
  const key = `${zone} ${expression}`;
  const known = opened.get(key) ?? openRecurrence(expression, zone);
  if (opened.size >= MAX_OPENED) opened.clear();
  opened.set(key, known);
  return known;
}

const systemZone = (): string => new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
