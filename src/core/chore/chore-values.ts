// The kinds of values that only chore files have, beside those of the settings files.
import * as z from 'zod';
import { scheduleBy } from '../config/schedule-values.ts';
import { kind, parsed } from '../config/values.ts';
import { parseFlag } from '../task/key-reader.ts';
import { checkChoreSchedule } from './chore-schedule.ts';

const MAX_WORDS = 100;
const MAX_WORD = 200;

/** True and false, also as yes/no and on/off, as in a task file. */
export function flag() {
  return kind(
    z.union([z.boolean(), z.string()]).transform(parsed(parseFlag)),
    'true or false',
    'true or false',
  );
}

export function choreSchedule() {
  const expected = 'a schedule such as every 5m, "*/5 * * * *" or RRULE:FREQ=DAILY;BYHOUR=9, or off';
  return scheduleBy(checkChoreSchedule, expected);
}

/** A list of short texts, or one text with commas between; each once. */
export function words() {
  // A number is a label as good as any.
  const list = z.array(z.union([z.string(), z.number()]), '%s is not a list of texts');
  const text = z.string().transform((found) => found.split(','));
  return kind(z.union([list, text]).transform(parsed(readWords)), 'list of texts', 'a list of texts');
}

function readWords(items: readonly (string | number)[]): string[] | null {
  const found = items.map((item) => String(item).trim());
  const isWord = (word: string) => word.length <= MAX_WORD && !/[\u0000-\u001f\u007f]/.test(word);
  return found.length <= MAX_WORDS && found.every(isWord)
    ? [...new Set(found.filter((word) => word !== ''))]
    : null;
}

export const logins = () => words().transform((names) => names.map((name) => name.replace(/^@/, '')));

export function providerName() {
  const expected = 'a name such as github: lower-case letters, digits, - and _';
  return kind(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), 'provider name', expected);
}

/** The address of a server. Its secrets are names of environment variables, never part of it. */
export function serverUrl() {
  const address = z
    .string()
    .refine((text) => URL.canParse(text), { abort: true })
    // What it holds stays out of the message.
    .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
      error: 'the address holds a password',
      params: { hint: 'set it as an environment variable' },
    });
  return kind(address, 'address', 'an address such as https://github.example.com/api/v3');
}
