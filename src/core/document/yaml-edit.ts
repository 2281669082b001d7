// Edits of single top-level keys. An edit is a span of the original text. The result is read again, and anything but
// the intended change of that one key is a conflict: no other value can be harmed.
import { RoomError } from '../errors.ts';
import { applyEdits, lineEndOf } from './edits.ts';
import { toProblems } from './fault.ts';
import { readFrontMatter } from './front-matter.ts';
import { formatPair, type Value } from './yaml-scalar.ts';
import { conflict, yamlEdits } from './yaml-splice.ts';

export type { Value } from './yaml-scalar.ts';

/**
 * The text with `key` set; the same string when the key has that value (for a boolean also as yes/no or on/off). A new
 * key becomes the last line of the front matter, which is made when there is none. Throws RoomError `invalid_file`
 * (unreadable front matter), `conflict` (can't be edited without touching another key), `bad_input` (no such key or
 * number can be written).
 */
export function setKey(text: string, key: string, value: Value, path = ''): string {
  return edit(text, path, key, value);
}

/** Sets several keys in the order given; throws as `setKey`, and then sets none. */
export function setKeys(text: string, values: Readonly<Record<string, Value>>, path = ''): string {
  return Object.entries(values).reduce((state, [key, value]) => edit(state, path, key, value), text);
}

/** The text without `key` and its line; the same string when it has no such key. Throws as `setKey`. */
export function removeKey(text: string, key: string, path = ''): string {
  return edit(text, path, key, undefined);
}

function edit(text: string, path: string, key: string, value: Value | undefined): string {
  const reading = readFrontMatter(text, true);
  if (!reading.ok) {
    const problems = toProblems(text, path, reading.faults);
    throw new RoomError('invalid_file', 'the front matter can not be read', { problems });
  }
  const { frontMatter, yaml } = reading.value;
  const data = yaml?.data ?? {};
  if (isUnchanged(Object.hasOwn(data, key), data[key], value)) return text;
  const eol = lineEndOf(text);
  if (frontMatter === null || yaml === null) {
    const at = Number(text.startsWith('\uFEFF'));
    const made = value === undefined ? '' : ['---', formatPair(key, value, false), '---', '', ''].join(eol);
    const next = text.slice(0, at) + made + text.slice(at);
    verify(data, next, key, value, eol + text.slice(at));
    return next;
  }
  const { yamlStart, yamlEnd, bodyStart } = frontMatter;
  const source = text.slice(yamlStart, yamlEnd);
  const edited = applyEdits(source, yamlEdits({ source, eol, map: yaml.map }, key, value));
  const next = text.slice(0, yamlStart) + edited + text.slice(yamlEnd);
  verify(data, next, key, value, text.slice(bodyStart));
  return next;
}

const YES_NO: Readonly<Record<string, boolean>> = {
  ...{ yes: true, on: true, true: true },
  ...{ no: false, off: false, false: false },
};

function isUnchanged(has: boolean, old: unknown, value: Value | undefined): boolean {
  if (!has || value === undefined) return !has && value === undefined;
  if (typeof value === 'boolean' && typeof old === 'string') {
    const word = old.toLowerCase();
    return Object.hasOwn(YES_NO, word) && YES_NO[word] === value;
  }
  return isSame(old, value);
}

/** Reads the new text. Throws `conflict` unless `key`, and nothing else, changed as intended. */
function verify(
  old: Readonly<Record<string, unknown>>,
  text: string,
  key: string,
  value: Value | undefined,
  body: string,
): void {
  const reading = readFrontMatter(text);
  if (!reading.ok) throw conflict(key, `the change would break the file: ${reading.faults[0]?.message}`);
  const { frontMatter, yaml } = reading.value;
  const data = yaml?.data ?? {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(data)])) {
    const isKept = Object.hasOwn(old, name) && Object.hasOwn(data, name) && isSame(old[name], data[name]);
    if (name !== key && !isKept) throw conflict(key, `the change would alter ${JSON.stringify(name)} too`);
  }
  const isThere = Object.hasOwn(data, key);
  if (value === undefined ? isThere : !isThere || !isSame(data[key], value))
    throw conflict(key, 'the change would not read back as intended');
  if (!frontMatter || text.slice(frontMatter.bodyStart) !== body)
    throw conflict(key, 'the change would alter the body');
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [one, other] = [a, b] as Record<string, unknown>[];
  const keys = Object.keys(a);
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(one![key], other![key]));
}
