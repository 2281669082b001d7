// When a chore ticks: cron and `every 5m` as everywhere in a room, and recurrence rules besides. Kept apart from
// schedule.ts, because the rules' library is more than every command should load.
import { isRecurrence, openRecurrence, type Recurrence } from '../time/recurrence.ts';
import { checkCron, nextTick } from '../time/schedule.ts';

const MAX_LENGTH = 400;
/** `every 5m` counts from the last run, the others from the clock. */
const EVERY = /^\s*every\s/i;

/** What is wrong with a chore's schedule, in words for a person, or null when it is fine. */
export function checkChoreSchedule(expression: string): string | null {
  if (expression.length > MAX_LENGTH) return `a schedule is at most ${MAX_LENGTH} characters long`;
  if (!isRecurrence(expression)) return checkCron(expression);
  try {
    // A rule may be over by now; only one that never ticks at all is a mistake.
    const rule = open(expression, 'UTC');
    return rule.after(0) === null ? 'it never happens' : null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** True when ticks are counted from the last run. */
export function isInterval(expression: string): boolean {
  return EVERY.test(expression);
}

/**
 * The first tick strictly after a moment; for `every 5m` that moment plus five minutes.
 * @param timezone IANA zone, null for the system's.
 * @returns epoch ms, or null when there is none, also for a schedule that can't be read
 */
export function nextChoreTick(expression: string, timezone: string | null, afterMs: number): number | null {
  try {
    if (!isRecurrence(expression)) return nextTick(expression, timezone, afterMs);
    return open(expression, timezone ?? systemZone()).after(afterMs);
  } catch {
    return null;
  }
}

const opened = new Map<string, Recurrence>();
const MAX_OPENED = 200;

// Opening a rule takes milliseconds, and each look asks for each rule.
function open(expression: string, zone: string): Recurrence {
  const key = `${zone} ${expression}`;
  const known = opened.get(key) ?? openRecurrence(expression, zone);
  if (opened.size >= MAX_OPENED) opened.clear();
  opened.set(key, known);
  return known;
}

function systemZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
}
