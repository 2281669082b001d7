// `key=value` as typed → the value a file gets: known keys are held to what reading accepts, all others are kept as typed.
import type { Value } from '../../core/document/document.ts';
import { unknownWord } from '../../core/document/suggest.ts';
import { RoomError } from '../../core/errors.ts';
import { type Kind, parseFlag } from '../../core/task/key-kinds.ts';
import { PRIORITIES } from '../../core/task/status.ts';
import { factsOf, isKnownKey } from '../../core/task/task-keys.ts';
import { noDate, parseDate } from '../../core/time/durations.ts';

const SHOWN = 80;

/** The text without the blanks around it. @param most characters. @throws RoomError `bad_input` */
export function oneLine(
  field: string,
  given: string,
  { most = Number.POSITIVE_INFINITY, hint }: { most?: number; hint?: string } = {},
): string {
  const text = given.trim();
  const long = [...text].length;
  const advice = { hint };
  if (/[\p{Cc}\u2028\u2029]/u.test(text) || !text.isWellFormed()) {
    const shown = JSON.stringify(text.toWellFormed().slice(0, SHOWN));
    throw new RoomError('bad_input', `${field}: ${shown} is not one line of text`, advice);
  }
  if (long > most)
    throw new RoomError('bad_input', `${field}: it has ${long} characters, allowed are ${most}`, advice);
  return text;
}

/** Checks that need the room: they return the value to write, or throw RoomError `bad_input`. */
export interface RoomChecks {
  agent(id: string): string;
  task(ref: string): string; // A reference to a task other than this one, as it is to be written.
  nowMs: number;
}

/** Assignees are a key of mirrored tasks alone. */
function kindOf(key: string): Kind | null {
  if (key === 'assignees') return 'list';
  return isKnownKey(key) ? factsOf(key).kind : null;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The key a person means: `blocked-by` is `blocked_by`. @throws RoomError `bad_input` for one no front matter can have */
export function keyOf(typed: string): string {
  const key = typed.trim();
  const known = key.toLowerCase().replaceAll('-', '_');
  if (isKnownKey(known)) return known;
  if (key !== '' && key.length <= 100 && /^[\p{L}_][\p{L}\p{N}_. -]*$/u.test(key) && key !== '__proto__')
    return key;
  const hint = 'letters, digits, - and _, a letter first: set TASK key=value';
  throw new RoomError('bad_input', `${JSON.stringify(typed)} can't be a key`, hint);
}

/** The value to write for a key, null to remove it. @throws RoomError `bad_input` with what is allowed */
export function parseValue(key: string, typed: string, checks: RoomChecks): Value | null {
  const text = typed.trim();
  const kind = kindOf(key);
  const hint = 'remove the line in an editor to get a new one';
  if (kind === 'id') throw new RoomError('bad_input', 'the id of a task is written once and never set', hint);
  if (typed.includes('\0') || !typed.isWellFormed())
    throw new RoomError('bad_input', `the value of ${key} is no text a file can hold`);
  if (text === '') return null;
  return kind === null ? looseValue(typed) : strictValue(key, kind, text, checks);
}

function strictValue(key: string, kind: Exclude<Kind, 'id'>, text: string, checks: RoomChecks): Value {
  switch (kind) {
    case 'priority': {
      const word = text.toLowerCase();
      return (PRIORITIES as readonly string[]).includes(word) ? word : refuse(key, text, PRIORITIES);
    }
    case 'flag': {
      const value = parseFlag(text);
      if (value !== null) return value;
      throw new RoomError('bad_input', `${key} is ${JSON.stringify(text)}, expected true or false`);
    }
    case 'number': {
      const value = Number(text);
      if (!Number.isFinite(value))
        throw new RoomError('bad_input', `${key} is ${JSON.stringify(text)}, expected a number`);
      return value;
    }
    case 'agent':
      return checks.agent(lineOf(key, text));
    case 'task':
      return checks.task(lineOf(key, text));
    case 'tasks':
      return [...new Set(items(key, text).map((ref) => checks.task(ref)))];
    case 'list':
    case 'resources':
      return items(key, text);
    case 'date': {
      const date = parseDate(text, checks.nowMs);
      if (date !== null) return date;
      throw noDate(key, text);
    }
    case 'budget':
      throw new RoomError('bad_input', 'a budget is a map, which set can not write', {
        hint: 'taskroom edit <task>, then in its front matter: budget: { turns: 10, minutes: 60, cost: 5 }',
      });
    case 'line':
    case 'status':
    case 'requester':
    case 'remote':
    case 'checks':
      return lineOf(key, text);
  }
}

export function items(key: string, text: string): string[] {
  const list = lineOf(key, text)
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map((item) => item.trim());
  return list.filter((item) => item !== '');
}

const lineOf = (key: string, text: string): string =>
  oneLine(key, text, { hint: 'longer text belongs below the front matter: taskroom edit' });

function refuse(key: string, text: string, allowed: readonly string[]): never {
  const { message, hint } = unknownWord(key, text, allowed);
  throw new RoomError('bad_input', message, hint);
}

/** Numbers and true/false as typed; everything else is text. */
function looseValue(typed: string): Value {
  if (typed === 'true' || typed === 'false') return typed === 'true';
  const number = Number(typed);
  return NUMBER.test(typed) && String(number) === typed ? number : typed;
}
