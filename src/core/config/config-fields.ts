// The value readers that room.yaml and agent.json are made of: each takes what a parser yields and gives the value in
// the runtime's units, its default when the key is missing or empty, or a problem that says what was expected.
import * as z from 'zod';
import { suggest } from '../document/suggest.ts';
import { formatDuration, parseBytes, parseDuration } from '../time/durations.ts';
import { checkCron, isTimezone } from '../time/schedule.ts';
import { parseChecks } from './check-list.ts';
import { show } from './shown-value.ts';

/** What a reader finds: the value, or why it is none. */
export type Found<T> = { value: T } | { fault: string; expected: string; hint?: string };

const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Timers of the platform count milliseconds in 31 bits: 24.8 days. */
export const MAX_TIMER_MS = 24 * 86_400_000;
export const MAX_KEEP_MS = 36_500 * 86_400_000;

/** A schema of one key. `fallback` stands in for a missing or empty key. */
export function field<T, const F>(read: (value: unknown) => Found<T>, fallback: F) {
  return z
    .unknown()
    .optional()
    .transform((value, ctx): T | F => {
      if (value === undefined || value === null) return fallback;
      const found = read(value);
      if ('value' in found) return found.value;
      const { fault, ...params } = found;
      ctx.addIssue({ code: 'custom', message: fault, params });
      return z.NEVER;
    });
}

export function checkCommands(value: unknown): Found<string[]> {
  const list = parseChecks(value);
  return list === null ? wrong(value, 'a shell command, or a list of them') : { value: list };
}

/** A schema of a map of keys, all of which are optional; unknown ones are issues. */
export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .unknown()
    .optional()
    .transform((value) => value ?? {})
    .pipe(z.strictObject(shape));
}

export function wrong(value: unknown, expected: string, hint?: string): Found<never> {
  const fault = `${show(value)} is not ${expected.split(/[:;,]| such as/)[0]}`;
  return hint === undefined ? { fault, expected } : { fault, expected, hint };
}

export function duration(minMs: number, maxMs: number) {
  return (value: unknown): Found<number> => {
    const ms = value === 0 ? 0 : typeof value === 'string' ? parseDuration(value) : null;
    if (ms === null) {
      const hint = typeof value === 'number' ? `a number needs its unit: ${value}s or ${value}m` : undefined;
      return wrong(value, 'a duration such as 250ms, 1s, 5m, 2h or 14d', hint);
    }
    if (ms >= minMs && ms <= maxMs) return { value: ms };
    return {
      fault: `${show(value)} is out of range`,
      expected: `${formatDuration(minMs)} to ${formatDuration(maxMs)}`,
    };
  };
}

export function bytes(min: number, max: number) {
  return (value: unknown): Found<number> => {
    const size = typeof value === 'number' ? value : typeof value === 'string' ? parseBytes(value) : null;
    if (size === null || !Number.isSafeInteger(size))
      return wrong(value, 'a size such as 64MiB, or a number of bytes');
    if (size >= min && size <= max) return { value: size };
    return { fault: `${show(value)} is out of range`, expected: `${min} to ${max} bytes` };
  };
}

export function wholeNumber(min: number, max: number) {
  return (value: unknown): Found<number> => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max)
      return { value };
    return wrong(value, `a whole number from ${min} to ${max}`);
  };
}

export function oneOf<T extends string>(...words: readonly T[]) {
  return (value: unknown): Found<T> => {
    const known = words.find((word) => word === value);
    if (known !== undefined) return { value: known };
    const near = typeof value === 'string' ? suggest(value, words) : null;
    return {
      fault: `${show(value)} is unknown here`,
      expected: `one of ${words.join(', ')}`,
      ...(near === null ? {} : { hint: `did you mean "${near}"?` }),
    };
  };
}

/** One of these words, or a list of them. */
export function wordsOf<T extends string>(words: readonly T[]) {
  const read = oneOf(...words);
  return (value: unknown): Found<T[]> => {
    const list = Array.isArray(value) ? value : [value];
    const found: T[] = [];
    for (const item of list) {
      const one = read(item);
      if (!('value' in one)) return one;
      if (!found.includes(one.value)) found.push(one.value);
    }
    return { value: found };
  };
}

export function trueOrFalse(value: unknown): Found<boolean> {
  return typeof value === 'boolean' ? { value } : wrong(value, 'true or false');
}

/** One line of text without control characters. */
export function line(value: unknown): Found<string> {
  const ok = typeof value === 'string' && value.trim() !== '' && value.length <= 1000;
  return ok && !/[\u0000-\u001f\u007f]/.test(value)
    ? { value: value.trim() }
    : wrong(value, 'one line of text');
}

export function agentId(value: unknown): Found<string> {
  if (typeof value === 'string' && isAgentId(value)) return { value };
  return wrong(value, 'an agent id: letters, digits, - and _, at most 64');
}

/** True for what may stand as `owner:` and as a folder name under agents/. */
export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text);
}

/** A schedule; null when it is switched off, for which YAML readers also write `false`. */
export function schedule(value: unknown): Found<string | null> {
  if (value === false || value === 'off') return { value: null };
  if (typeof value !== 'string') return wrong(value, 'a schedule such as "0 6-21 * * *" or every 5m, or off');
  const fault = checkCron(value);
  if (fault === null) return { value: value.trim() };
  return {
    fault: `${show(value)}: ${fault}`,
    expected: 'a schedule such as "0 6-21 * * *" or every 5m, or off',
  };
}

export function timezone(value: unknown): Found<string> {
  if (typeof value === 'string' && isTimezone(value)) return { value };
  return wrong(value, 'a time zone such as Europe/Berlin or UTC');
}
