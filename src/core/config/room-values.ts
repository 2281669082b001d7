// Kinds of values that no small command loads: schedules, which need a package, addresses, and providers of the room's own.
import * as z from 'zod';
import { checkCron, isTimezone } from '../time/schedule.ts';
import { BUILT_IN_PROVIDERS } from './names.ts';
import { kind, mapOf } from './values.ts';

/** Words with a meaning of their own in a task's `remote:` or `requester:`. */
const RESERVED: readonly string[] = [...BUILT_IN_PROVIDERS, 'local', 'owner', 'agent', 'task', 'chore'];
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
// A scheme would make another kind of address of it: data:, https:.
const MODULE_FILE = /^(?![A-Za-z][A-Za-z0-9+.-]+:)[^\u0000-\u001f\u007f]*\.(mjs|js|mts|ts)$/;

/** `providers:` of room.yaml: names of the room's own, each with the file that exports its `factory`. */
export function providers() {
  const name = z
    .string()
    .regex(NAME)
    .refine((text) => !RESERVED.includes(text), {
      error: '%s is taken',
      params: { expected: 'another name' },
    });
  const file = z.string().max(1000).regex(MODULE_FILE);
  const files = mapOf(
    kind(name, 'name', 'a provider name: a small letter, then small letters, digits, -'),
    kind(file, 'file', 'a file: a path that ends in .mjs, .js, .mts or .ts'),
  );
  return kind(files, 'map of names to files', 'a map of names to files, such as jira: ./providers/jira.mjs');
}

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

export const schedule = () => scheduleBy(checkCron, 'a schedule such as "0 6-21 * * *" or every 5m, or off');

export const timezone = () =>
  kind(z.string().refine(isTimezone), 'IANA zone', 'a time zone such as Europe/Berlin or UTC');

/** Of http or https, without a slash at its end. */
export function address(example: string, params: { hint?: string } = {}) {
  const schema = z
    .string()
    .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), { abort: true })
    .refine((text) => URL.parse(text)?.username === '' && URL.parse(text)?.password === '', {
      error: 'a secret stands in the address',
      params,
    })
    .transform((text) => text.replace(/\/+$/, ''));
  return kind(schema, 'address', `an address such as ${example}`);
}
