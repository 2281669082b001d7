// Edits of single top-level keys. An edit is a span of the original text; what it gave is read again, and
// anything but the intended change of that one key is a conflict, so that no other value can be harmed.
import { RoomError } from '../errors.ts';
import { applyEdits, type Edit, lineEndOf } from './edits.ts';
import { toProblems } from './fault.ts';
import { type FrontMatterReading, readFrontMatter } from './front-matter.ts';
import { formatPair, formatValue, type Value } from './yaml-scalar.ts';
import { conflict, yamlEdits } from './yaml-splice.ts';

export type { Value } from './yaml-scalar.ts';

/**
 * The text with `key` set. The same string when the key has that value; a boolean also counts as had when it
 * stands there as yes/no or on/off. A new key becomes the last line of the front matter, which is made when
 * there is none. Throws RoomError `invalid_file` (unreadable front matter), `conflict` (can't be edited without
 * touching another key), `bad_input` (no such key or number can be written).
 */
export function setKey(text: string, key: string, value: Value, path = ''): string {
  return setKeys(text, { [key]: value }, path);
}

/** Sets several keys, in the order given; throws as `setKey`, and then sets none. */
export function setKeys(text: string, values: Readonly<Record<string, Value>>, path = ''): string {
  return Object.entries(values).reduce((state, [key, value]) => edit(state, key, value), open(text, path))
    .text;
}

/** The text without `key` and its line; the same string when it has no such key. Throws as `setKey`. */
export function removeKey(text: string, key: string, path = ''): string {
  return edit(open(text, path), key, undefined).text;
}

interface State extends FrontMatterReading {
  text: string;
  data: Record<string, unknown>;
}

function open(text: string, path: string, mayBePlain = true): State {
  const reading = readFrontMatter(text, true, mayBePlain);
  if (reading.ok) return { ...reading.value, text, data: reading.value.yaml?.data ?? {} };
  throw new RoomError('invalid_file', 'the front matter can not be read', {
    problems: toProblems(text, path, reading.faults),
  });
}

function edit(state: State, key: string, value: Value | undefined): State {
  const { text, frontMatter, yaml, data } = state;
  if (isUnchanged(Object.hasOwn(data, key), data[key], value)) return state;
  const eol = lineEndOf(text);
  if (frontMatter === null || yaml === null) {
    const at = Number(text.startsWith('\uFEFF'));
    const made = value === undefined ? '' : ['---', formatPair(key, value, false), '---', '', ''].join(eol);
    return verified(state, text.slice(0, at) + made + text.slice(at), key, value, eol + text.slice(at));
  }
  const source = text.slice(frontMatter.yamlStart, frontMatter.yamlEnd);
  const plain = yaml.map === null ? plainEdit({ source, eol, ...yaml }, key, value) : null;
  const edits = plain ? [plain] : parsedEdits(state, source, eol, key, value);
  const next = applyEdits(source, edits);
  const after = text.slice(frontMatter.yamlEnd);
  const body = text.slice(frontMatter.bodyStart);
  return verified(state, text.slice(0, frontMatter.yamlStart) + next + after, key, value, body);
}

function parsedEdits(
  { text, yaml }: State,
  source: string,
  eol: string,
  key: string,
  value: Value | undefined,
) {
  const map = yaml?.map ?? open(text, '', false).yaml?.map ?? null;
  return yamlEdits({ source, eol, map }, key, value);
}

const YES_NO: Readonly<Record<string, boolean>> = {
  yes: true,
  on: true,
  true: true,
  no: false,
  off: false,
  false: false,
};

function isUnchanged(has: boolean, old: unknown, value: Value | undefined): boolean {
  if (!has || value === undefined) return !has && value === undefined;
  if (typeof value === 'boolean' && typeof old === 'string') {
    const word = old.toLowerCase();
    return Object.hasOwn(YES_NO, word) && YES_NO[word] === value;
  }
  return isSame(old, value);
}

/** Reads the new text and makes sure that `key`, and nothing else, changed as intended. */
function verified(old: State, text: string, key: string, value: Value | undefined, body: string): State {
  const reading = readFrontMatter(text, true);
  if (!reading.ok) throw conflict(key, `the change would break the file: ${reading.faults[0]?.message}`);
  const data = reading.value.yaml?.data ?? {};
  for (const name of new Set([...Object.keys(old.data), ...Object.keys(data)])) {
    const had = Object.hasOwn(old.data, name);
    if (name !== key && (!had || !Object.hasOwn(data, name) || !isSame(old.data[name], data[name]))) {
      throw conflict(key, `the change would alter ${JSON.stringify(name)} too`);
    }
  }
  const isThere = Object.hasOwn(data, key);
  if (value === undefined ? isThere : !isThere || !isSame(data[key], value)) {
    throw conflict(key, 'the change would not read back as intended');
  }
  const { frontMatter } = reading.value;
  if (!frontMatter || text.slice(frontMatter.bodyStart) !== body) {
    throw conflict(key, 'the change would alter the body');
  }
  return { ...reading.value, text, data };
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [keysA, keysB] = [Object.keys(a), Object.keys(b)];
  if (Array.isArray(a) !== Array.isArray(b) || keysA.length !== keysB.length) return false;
  return keysA.every((key) => {
    return (
      Object.hasOwn(b, key) &&
      isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])
    );
  });
}

// Edits of front matter that plain-yaml.ts reads: each key is a line of its own, so that a value is a span of its line.
// A property test holds these edits equal to those the parser's tokens give.

interface PlainSource {
  source: string;
  eol: string;
  data: Readonly<Record<string, unknown>>;
  offsets: Readonly<Record<string, number>>;
}

/** The edit that gives `key` this value, or takes it out when undefined; null for what only the parser can place. */
export function plainEdit(
  { source, eol, data, offsets }: PlainSource,
  key: string,
  value: Value | undefined,
) {
  const at = Object.hasOwn(offsets, key) ? offsets[key]! : null;
  if (at === null) return value === undefined ? null : insertion(source, formatPair(key, value, false) + eol);
  // Which items of a list stay as they are written is the parser's to say.
  if (Array.isArray(data[key]) && Array.isArray(value)) return null;
  const end = source.indexOf('\n', at);
  if (value === undefined) return { start: source.lastIndexOf('\n', at) + 1, end: end + 1, insert: '' };
  const quote = source.startsWith('"', at) ? 'double' : 'plain';
  return { start: at, end, insert: formatValue(value, { flow: false, quote }) };
}

function insertion(source: string, insert: string): Edit {
  return { start: source.length, end: source.length, insert };
}
