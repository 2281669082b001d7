// When a schedule ticks: cron expressions with time zones, and `every 5m`. Only the calculation lives here;
// a missed tick is never lost and any number of them count as one, and no tick counts twice.
import { Cron } from 'croner';
import { RoomError } from '../errors.ts';
import { parseDuration } from './durations.ts';

const MAX_LENGTH = 200;
const MIN_EVERY_MS = 1000;
const MAX_EVERY_MS = 366 * 86_400_000;
/** A last tick further ahead than this was written by a clock that was wrong; smaller steps back are waited out. */
const BELIEVABLE_AHEAD_MS = 86_400_000;

type Schedule = { kind: 'every'; everyMs: number } | { kind: 'cron'; cron: Cron };

export interface DueTick {
  due: boolean;
  /** The latest tick that is due, epoch ms; null when none is. All earlier missed ones are part of it. */
  atMs: number | null;
  nextMs: number | null; // The first tick after now, epoch ms; null when the schedule never ticks again.
  lastMs: number; // What to remember as `lastMs`; store it when it differs from what was passed in.
}

function readSchedule(expression: string, timezone: string | null): Schedule {
  const text = expression.trim();
  if (text.length > MAX_LENGTH) throw new Error(`a schedule is at most ${MAX_LENGTH} characters long`);
  const every = /^every\s+(.*)$/i.exec(text);
  if (every) {
    const everyMs = parseDuration(every[1]!);
    if (everyMs === null) throw new Error(`"${every[1]}" is not a duration such as 30s, 5m, 2h or 1d`);
    if (everyMs < MIN_EVERY_MS || everyMs > MAX_EVERY_MS) throw new Error('every takes 1s to 366d');
    return { kind: 'every', everyMs };
  }
  const cron = new Cron(text, {
    mode: '5-or-6-parts',
    // Like vixie cron: `0 2,14 * * *` still runs on the day 02:00 does not exist, and once on the day it exists twice.
    fixedTimeRule: 'no-wildcard',
    ...(timezone === null ? {} : { timezone }),
  });
  if (cron.getPattern() === undefined) throw new Error('a date is not a schedule');
  return { kind: 'cron', cron };
}

function openSchedule(expression: string, timezone: string | null): Schedule {
  if (timezone !== null && !isTimezone(timezone)) {
    const hint = 'use an IANA name such as Europe/Berlin';
    throw new RoomError('bad_input', `there is no time zone ${JSON.stringify(timezone)}`, hint);
  }
  try {
    return readSchedule(expression, timezone);
  } catch (error) {
    throw new RoomError('bad_input', `schedule ${JSON.stringify(expression)}: ${reasonOf(error)}`, {
      cause: error,
      hint: 'write five cron fields (minute hour day month weekday), or every 5m',
    });
  }
}

export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^Cron[A-Za-z]*:\s*/, '').replace(/\s+/g, ' ');
}

function after(schedule: Schedule, timeMs: number): number | null {
  if (schedule.kind === 'every') return timeMs + schedule.everyMs;
  return schedule.cron.nextRun(new Date(timeMs))?.getTime() ?? null;
}

function latest(schedule: Schedule, lastMs: number, nowMs: number): number | null {
  if (schedule.kind === 'every')
    return lastMs + Math.floor((nowMs - lastMs) / schedule.everyMs) * schedule.everyMs;
  // Ticks are whole seconds and the search is exclusive, so it starts at the next second.
  const until = new Date(Math.floor(nowMs / 1000) * 1000 + 1000);
  return schedule.cron.previousRuns(1, until)[0]?.getTime() ?? null;
}

/** What is wrong with a schedule, in words for a person, or null when it is fine.
 * @param expression Five cron fields, six with seconds first, a nickname such as `@daily`, or `every 5m`. */
export function checkCron(expression: string): string | null {
  try {
    const schedule = readSchedule(expression, 'UTC');
    // Four years hold a leap day; a fixed start keeps this free of the clock.
    return after(schedule, Date.UTC(2024, 0, 1)) === null ? 'it never happens' : null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** True for an IANA zone this runtime knows: `Europe/Berlin`, `UTC`. */
export function isTimezone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(zone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The first tick strictly after a moment.
 * @param timezone IANA zone of the cron fields, null for the system's.
 * @param afterMs Epoch ms. `every` counts from here.
 * @returns Epoch ms, or null when there is none.
 * @throws RoomError `bad_input` for an expression or a zone that can't be read. */
export const nextTick = (expression: string, timezone: string | null, afterMs: number): number | null =>
  after(openSchedule(expression, timezone), afterMs);

/** Whether a tick is due. Ticks in `(lastMs, nowMs]` count as one. Where the clock stands before `lastMs` nothing fires until it has passed
 * it again; more than a day before, the last tick came from a wrong clock and counting starts anew from now.
 * @param lastMs The tick handled last, or when the schedule was first seen; epoch ms.
 * @throws RoomError `bad_input` for an expression or a zone that can't be read. */
export function dueTick(expression: string, timezone: string | null, lastMs: number, nowMs: number): DueTick {
  const schedule = openSchedule(expression, timezone);
  const last = lastMs - nowMs > BELIEVABLE_AHEAD_MS ? nowMs : lastMs;
  const next = after(schedule, last);
  if (next === null || next > nowMs) return { due: false, atMs: null, nextMs: next, lastMs: last };
  const atMs = Math.max(latest(schedule, last, nowMs) ?? next, next);
  return { due: true, atMs, nextMs: after(schedule, atMs), lastMs: atMs };
}
