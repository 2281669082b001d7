// Settings that say when: apart from the other kinds of values, since schedules need a package that no small command loads.
import * as z from 'zod';
import { checkCron, isTimezone } from '../time/schedule.ts';
import { kind } from './values.ts';

/** @param check What is wrong with a schedule, null for nothing. Switched off it is null, for which YAML readers also write `false`. */
export function scheduleBy(check: (text: string) => string | null, expected: string) {
  const schema = z.union([z.string(), z.literal(false)]).transform((value, { addIssue }) => {
    if (value === false || value === 'off') return null;
    const fault = check(value.trim());
    if (fault !== null) addIssue({ code: 'custom', message: `%s: ${fault}` });
    return value.trim();
  });
  return kind(schema, 'schedule or off', expected);
}

export function schedule() {
  return scheduleBy(checkCron, 'a schedule such as "0 6-21 * * *" or every 5m, or off');
}

export function timezone() {
  return kind(z.string().refine(isTimezone), 'IANA zone', 'a time zone such as Europe/Berlin or UTC');
}
