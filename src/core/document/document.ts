// A markdown file with front matter: bytes → text → values, and edits of single keys. No key has a meaning here.
import { type ReadingOf, RoomError, valueOr } from '../errors.ts';
import { applyEdits, lineEndOf, placeOf } from './edits.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { type KeyPath, offsetAt, toProblems } from './yaml-read.ts';
import { formatPair, type Value } from './yaml-scalar.ts';
import { conflict, yamlEdits } from './yaml-splice.ts';

// Bytes of a file → its text, or why it is no text. A BOM stays, so that writing the text back gives the same bytes.
export const MAX_FILE_BYTES = 1024 * 1024;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** At most 1 MiB of UTF-8 without NUL. */
export function decodeDocument(bytes: Uint8Array, path: string): ReadingOf<{ text: string }> {
  const refuse = (at: number, message: string, hint: string) => {
    const place = placeOf(decoder.decode(bytes.subarray(0, at)), at);
    return { ok: false as const, problems: [{ path, ...place, message, hint }] };
  };
  if (bytes.length > MAX_FILE_BYTES) {
    const message = `the file is larger than 1 MiB (${(bytes.length / MAX_FILE_BYTES).toFixed(1)} MiB)`;
    return refuse(0, message, 'move long text into artifacts/ and link to it');
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return refuse(0, 'the file is UTF-16, not UTF-8', 'save it as UTF-8');
  const zero = bytes.indexOf(0);
  const text = valueOr(null, () => decoder.decode(bytes));
  if (text === null) {
    const bad = firstBadByte(bytes);
    const at = zero >= 0 ? Math.min(zero, bad) : bad;
    const byte = bytes[bad]?.toString(16).padStart(2, '0');
    if (at === bad) return refuse(bad, `the file is not UTF-8: byte 0x${byte}`, 'save it as UTF-8');
  }
  if (zero >= 0)
    return refuse(zero, 'the file holds a NUL byte', 'a text file has none; write the file again');
  return { ok: true, text: text ?? '' };
}

/** Offset of the first byte that is part of no character; the length when there is none. */
function firstBadByte(bytes: Uint8Array): number {
  const text = lenientDecoder.decode(bytes);
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', from)) {
    offset += encoder.encode(text.slice(from, at)).length;
    // The decoder put it there, or the file holds that character.
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return offset;
    offset += 3;
    from = at + 1;
  }
  return bytes.length;
}

export { type FrontMatter, MAX_FRONT_MATTER_BYTES } from './front-matter.ts';
export type { Value } from './yaml-scalar.ts';

export interface ParsedDocument {
  text: string;
  bom: boolean;
  eol: '\n' | '\r\n'; // The line end of the first line; a file may mix them.
  frontMatter: FrontMatter | null;
  bodyStart: number; // 0, or 1 after a BOM, when there is no front matter.
  /** By key, `{}` without front matter. Parts that a YAML alias names are the same object. */
  data: Record<string, unknown>;
  /** Each top-level plain or quoted value as written, before YAML gives it a type: `007`, and "" for an empty one. */
  sources: Record<string, string>;
  /** Line and column of a top-level key's value; the start of the file for a missing key. */
  places(key: string): { line: number; col: number };
  /** At any depth, of the key or its value; of the nearest place above where nothing stands. */
  placeAt(path: KeyPath, what: 'key' | 'value'): { line: number; col: number };
}

export function parseDocument(text: string, path: string): ReadingOf<{ doc: ParsedDocument }> {
  const reading = readFrontMatter(text);
  if (!reading.ok) return { ok: false, problems: toProblems(text, path, reading.faults) };
  const { frontMatter, yaml } = reading.value;
  const bom = text.startsWith('\uFEFF');
  const offsets = yaml?.offsets;
  const doc: ParsedDocument = {
    text,
    bom,
    eol: lineEndOf(text),
    frontMatter,
    bodyStart: frontMatter ? frontMatter.bodyStart : Number(bom),
    data: yaml?.data ?? {},
    sources: yaml?.sources ?? {},
    places: (key) => {
      const at = offsets && Object.hasOwn(offsets, key) ? offsets[key] : undefined;
      return at === undefined ? { line: 1, col: 1 } : placeOf(text, frontMatter!.yamlStart + at);
    },
    placeAt(path, what) {
      if (yaml === null) return { line: 1, col: 1 };
      const { yamlStart, yamlEnd } = frontMatter!;
      return placeOf(text, yamlStart + offsetAt(yaml, text.slice(yamlStart, yamlEnd), path, what));
    },
  };
  return { ok: true, doc };
}

// An edit of a key is a span of the original text. The result is read again, and anything but the intended change of that
// one key is a conflict: no other value can be harmed.

/** The text with `key` set, or without it for `undefined`; the same string when the key has that value (for a boolean also as yes/no or
 * on/off). A new key becomes the last line of the front matter, which is made when there is none. Throws RoomError `invalid_file`
 * (unreadable front matter), `conflict` (can't be edited without touching another key), `bad_input` (no such key or number can be written). */
export function setKey(text: string, key: string, value: Value | undefined, path = ''): string {
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

/** Sets several keys in the order given; throws as `setKey`, and then sets none. */
export const setKeys = (text: string, values: Readonly<Record<string, Value>>, path = ''): string =>
  Object.entries(values).reduce((state, [key, value]) => setKey(state, key, value, path), text);

/** The text without `key` and its line; the same string when it has no such key. Throws as `setKey`. */
export const removeKey = (text: string, key: string, path = '') => setKey(text, key, undefined, path);

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
