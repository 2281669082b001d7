// What settings take: each kind of value once, with its title, as the tables of the docs name it, and what is expected, as problems
// do. A message that starts otherwise stands for itself; `%s` in it is the value. Kinds are functions: a small command loads no zod.
import * as z from 'zod';
import { once } from '../plain-data.ts';
import { STATUS_WORDS, STATUSES, saysDeleted } from '../status-words.ts';
import { formatDuration, parseBytes, parseDuration } from '../time/durations.ts';
import { OWN_WORDS, toProblems } from './config-problems.ts';
import type { Milliseconds } from './setting.ts';

const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAX_TIMER_MS = 24 * 86_400_000; // Timers of the platform count milliseconds in 31 bits: 24.8 days.
const MAX_KEEP_MS = 36_500 * 86_400_000;
const AMOUNT = /^\s*\d{1,15} ?[A-Za-z]*\s*$/;
const LINE = /^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$/;
const VARIABLE = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/;
const ARGUMENT = /^[^\u0000]*$/;

export function kind<Schema extends z.ZodType>(schema: Schema, title: string, description: string): Schema {
  // In place: `meta` would make another schema of it.
  z.globalRegistry.add(schema, { title, description });
  return schema;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Converts a value; where `parse` returns null, the problem says what its kind expects. */
export function parsed<Found, Read>(parse: (found: Found) => Read | null) {
  return (found: Found, { addIssue }: z.core.$RefinementCtx): Read => {
    const read = parse(found);
    if (read === null) addIssue({ code: 'custom', message: '' });
    return read ?? z.NEVER;
  };
}

function within(min: number, max: number, expected: string) {
  const isWithin = (value: number) => value >= min && value <= max;
  return [isWithin, { error: '%s is out of range', params: { expected } }] as const;
}

export function duration(minMs: number, maxMs: number) {
  const zero = z.number().superRefine((value, { addIssue }) => {
    const params = { hint: `a number needs its unit: ${value}s or ${value}m` };
    if (value !== 0) addIssue({ code: 'custom', message: '', params });
  });
  const schema = z
    .union([z.string().regex(AMOUNT), zero.meta({ const: 0 })])
    .transform(parsed((value) => parseDuration(String(value)) as Milliseconds | null))
    .refine(...within(minMs, maxMs, `${formatDuration(minMs)} to ${formatDuration(maxMs)}`));
  return kind(schema, 'duration', 'a duration such as 250ms, 1s, 5m, 2h or 14d');
}

export const time = () => duration(1000, MAX_TIMER_MS);
export const keep = () => duration(0, MAX_KEEP_MS);

export function bytes(min: number, max: number) {
  const schema = z
    .union([z.int(), z.string().regex(AMOUNT)])
    .transform(parsed((value) => (typeof value === 'number' ? value : parseBytes(value))))
    .refine(...within(min, max, `${min} to ${max} bytes`));
  return kind(schema, 'size', 'a size such as 64MiB, or a number of bytes');
}

export const wholeNumber = (min: number, max: number) =>
  kind(z.int().min(min).max(max), 'number', `a whole number from ${min} to ${max}`);

export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  kind(z.enum(words), listed(words), `one of ${words.join(', ')}`);

export function wordsOf<const Words extends readonly string[]>(words: Words, title = 'list of words') {
  const list = z.array(z.enum(words));
  const text = z.string().transform((found) => found.split(',').map((word) => word.trim()));
  const each = z.union([list, text.pipe(list)]).transform((found) => [...new Set(found)]);
  return kind(each, title, `a list of ${words.join(', ')}`);
}

export const trueOrFalse = () => kind(z.boolean(), 'true or false', 'true or false');

export function line(title = 'text') {
  const none = '%s is not one line of text';
  return kind(z.string(none).max(1000, none).regex(LINE, none).trim(), title, 'one line of text');
}

export const agentId = () =>
  kind(z.string().regex(AGENT_ID), 'agent id', 'an agent id: letters, digits, - and _, at most 64');

/** True for what may stand as `owner:` and as a folder name under agents/. */
export const isAgentId = (text: string): boolean => AGENT_ID.test(text);

export function checkCommands() {
  const schema = z.union([z.string(), z.array(z.string())]).transform(parsed(parseChecks));
  return kind(schema, 'text or list of texts', 'a shell command, or a list of them');
}

export function shellCommand() {
  const schema = z.string().refine((text) => parseChecks(text) !== null);
  return kind(schema, 'text', 'a shell command');
}

export function argumentList() {
  const schema = z.array(z.string().regex(ARGUMENT), '%s is no list of arguments');
  return kind(schema, 'list of texts', 'a list of texts, one an argument');
}

export function command() {
  const text = z.string().regex(ARGUMENT).regex(/\S/);
  const words = z
    .array(z.string().regex(ARGUMENT))
    .min(1)
    .refine(([program]) => program?.trim() !== '');
  const schema = z.union([text.transform((shell) => ['sh', '-c', shell]), words], '%s is not a command');
  const expected = 'a command: one text for the shell, or a list with the program first';
  return kind(schema, 'text or list of texts', expected);
}

/** The name of an environment variable: its value is a secret, and stands neither in the file nor in messages. */
export function variableName() {
  const message = 'not the name of a variable';
  const schema = z
    .string(message)
    .refine((text) => !/^https?:/i.test(text), {
      error: message,
      params: { hint: 'put the address into a variable' },
      abort: true,
    })
    .regex(VARIABLE, message);
  return kind(schema, 'name of a variable', 'the name of an environment variable, such as TASKROOM_WEBHOOK');
}

export const mapOf = <Value extends z.ZodType>(key: z.ZodType<string, string>, value: Value) =>
  z.preprocess(
    (found, { addIssue }) => {
      // Zod passes over it.
      if (typeof found === 'object' && found !== null && Object.hasOwn(found, '__proto__'))
        addIssue({ code: 'custom', message: '"__proto__" can\'t be a name' });
      return found;
    },
    z.record(key, value),
  );

/** Variables of a program: a text, or the name of a variable of ours. */
export function environment() {
  const variable = z.string().regex(VARIABLE, "%s can't be a variable's name");
  const name = kind(variable, 'name of a variable', 'letters, digits and _').refine(
    (text) => !/^(AGENT_ROOM$|TASKROOM_)/.test(text),
    { error: '%s is set by the runtime', params: { expected: 'another name' } },
  );
  // Its value stays out of the message: it may be a secret.
  const value = z.union(
    [z.string().regex(ARGUMENT), z.strictObject({ from: z.string().regex(VARIABLE) })],
    'it has a value of another kind',
  );
  return kind(mapOf(name, value), 'map', 'a map of variable names to texts, or to {"from": "NAME"}');
}

/** `hand_over` of room.yaml: which agents may hand over work to agents with more rights than their own. */
export function handOver() {
  const agents = z.union([z.array(agentId()), agentId().transform((id) => [id])]);
  const expected = 'a map of an agent to the agents that it may hand over work to, such as `triage: [coder]`';
  return kind(mapOf(agentId(), agents), 'map of agents to lists', expected);
}

export const OWN_STATUS = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,31}$/u;

/** `statuses` of room.yaml. */
export function ownStatuses() {
  const name = kind(
    z.string().regex(OWN_STATUS, "%s can't be a status"),
    'status',
    'small letters, digits, - and _, a letter first, at most 32',
  ).refine((word) => !saysDeleted(word) && !STATUS_WORDS.includes(word), {
    error: '%s is a status already',
    params: { expected: 'another word' },
  });
  const each = z.strictObject({ class: oneOf(STATUSES) }).transform((found) => found.class);
  return kind(
    mapOf(name, each),
    'map of statuses',
    'a map of statuses, each with its class, such as `review: {class: doing}`',
  );
}

const MAX_CHECKS = 50;
const MAX_CHECK = 4000;

/** Shell commands: one text is one command, whatever signs it holds. Null for what can't be a list of them. */
export function parseChecks(value: unknown): string[] | null {
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const isCommand = (item: unknown): item is string =>
    typeof item === 'string' && item.trim() !== '' && item.length <= MAX_CHECK && !item.includes('\0');
  return items.length <= MAX_CHECKS && items.every(isCommand) ? items : null;
}

export const BUDGET_KEYS = ['turns', 'minutes', 'tokens', 'cost'] as const;
export type BudgetKey = (typeof BUDGET_KEYS)[number];

/** What may be used, tokens in and out together, cost in US dollars; null where it has no bound. */
export type Budget = Record<BudgetKey, number | null>;

const MOST = 1e12;

/** A budget of at least one bound; null for a map that names none. */
export const budget = once(() => {
  const amount = kind(z.number().positive().max(MOST), 'number', 'a number above 0');
  // Nothing counts a part of these.
  const whole = kind(z.int().positive().max(MOST), 'number', 'a whole number above 0');
  const keys: Record<BudgetKey, z.ZodNumber> = { turns: whole, minutes: amount, tokens: whole, cost: amount };
  const shape = Object.fromEntries(
    BUDGET_KEYS.map((key) => [key, keys[key].nullish().transform((found) => found ?? null)]),
  );
  const schema = z.strictObject(shape, '%s is not a budget').transform((found) => {
    const bounds = found as Budget;
    return BUDGET_KEYS.some((key) => bounds[key] !== null) ? bounds : null;
  });
  return kind(schema, 'budget', 'a map of turns, minutes, tokens and cost, each a number above 0');
});

export function readBudget(value: unknown): { value: Budget | null } | { fault: string; expected: string } {
  const parsed = budget().safeParse(value, OWN_WORDS);
  if (parsed.success) return { value: parsed.data };
  const source = { data: value, placeAt: () => ({ line: 1, col: 1 }) };
  const { message: fault, expected = '' } = toProblems(parsed.error.issues, budget(), source, '')[0]!;
  return { fault, expected };
}
