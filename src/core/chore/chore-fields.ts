// The value readers that only chore files need, beside those of the settings files.

import { type Found, wrong } from '../config/config-fields.ts';
import { show } from '../config/shown-value.ts';
import { suggest } from '../document/suggest.ts';
import { parseFlag } from '../task/key-reader.ts';
import { checkChoreSchedule } from './chore-schedule.ts';

const MAX_WORDS = 100;
const MAX_WORD = 200;

/** True and false, also as yes/no and on/off, as in a task file. */
export function flag(value: unknown): Found<boolean> {
  const read = typeof value === 'object' ? null : parseFlag(value);
  return read === null ? wrong(value, 'true or false') : { value: read };
}

/** A chore's schedule; null when it is switched off, for which YAML readers also write `false`. */
export function optionalSchedule(value: unknown): Found<string | null> {
  if (value === false || value === 'off') return { value: null };
  const expected = 'a schedule such as every 5m, "*/5 * * * *" or RRULE:FREQ=DAILY;BYHOUR=9, or off';
  if (typeof value !== 'string') return wrong(value, expected);
  const text = value.trim();
  const fault = checkChoreSchedule(text);
  return fault === null ? { value: text } : { fault: `${show(value)}: ${fault}`, expected };
}

/** A list of short texts, or one text with commas between; each once. */
export function words(value: unknown): Found<string[]> {
  const expected = 'a list of texts';
  const items = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(items) || items.length > MAX_WORDS) return wrong(value, expected);
  const found = new Set<string>();
  for (const item of items as unknown[]) {
    // A number is a label as good as any.
    if (typeof item !== 'string' && typeof item !== 'number') return wrong(item ?? null, expected);
    const word = String(item).trim();
    if (word.length > MAX_WORD || /[\u0000-\u001f\u007f]/.test(word)) return wrong(item, expected);
    if (word !== '') found.add(word);
  }
  return { value: [...found] };
}

/** Names of people, with or without the `@` they are often written with. */
export function logins(value: unknown): Found<string[]> {
  const list = words(value);
  return 'fault' in list ? list : { value: list.value.map((name) => name.replace(/^@/, '')) };
}

/** A list of words out of a closed list, each once. */
export function wordsOf<T extends string>(known: readonly T[]) {
  return (value: unknown): Found<T[]> => {
    const list = words(value);
    if ('fault' in list) return list;
    for (const word of list.value) {
      if ((known as readonly string[]).includes(word)) continue;
      const near = suggest(word, known);
      const hint = near === null ? {} : { hint: `did you mean "${near}"?` };
      return { fault: `${show(word)} is unknown here`, expected: `a list of ${known.join(', ')}`, ...hint };
    }
    return { value: list.value as T[] };
  };
}

/** A provider's name, which is part of a ref. */
export function providerName(value: unknown): Found<string> {
  if (typeof value === 'string' && /^[a-z][a-z0-9_-]{0,31}$/.test(value)) return { value };
  return wrong(value, 'a name such as github: lower-case letters, digits, - and _');
}

/** The address of a server. Its secrets are names of environment variables, never part of it. */
export function serverUrl(value: unknown): Found<string> {
  const expected = 'an address such as https://github.example.com/api/v3';
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  // What it holds stays out of the message.
  if (url !== null && (url.username !== '' || url.password !== ''))
    return { fault: 'the address holds a password', expected, hint: 'set it as an environment variable' };
  return url === null ? wrong(value, expected) : { value: value as string };
}

/** Keys of a provider's own. */
export function mapOfAnything(value: unknown): Found<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return wrong(value, 'a map of keys');
  return { value: value as Record<string, unknown> };
}
