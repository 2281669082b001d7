// A settings file's text as plain data with the place of every key and value, or problems; it never throws.
import { type JSONPath, type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { placeOf } from '../document/edits.ts';
import { type KeyPath, offsetAt, readYaml, toProblems } from '../document/yaml-read.ts';
import type { ReadingOf } from '../errors.ts';

export interface ConfigSource {
  data: unknown;
  placeAt(path: KeyPath, what: 'key' | 'value'): { line: number; col: number };
}

type SourceReading = ReadingOf<{ source: ConfigSource }>;

// Settings are short; the bound keeps the time for a hostile file (a wall of brackets or keys) below a second.
const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;

/** Tags, several documents and unknown directives are problems; an empty text is an empty map. */
export function readYamlSource(text: string, path: string): SourceReading {
  const yaml = withoutBom(text);
  const tooLong = checkSize(text, path);
  if (tooLong) return tooLong;
  const reading = readYaml(yaml, false, true);
  if (!reading.ok) return { ok: false, problems: toProblems(yaml, path, reading.faults) };
  const { value } = reading;
  const placeAt: ConfigSource['placeAt'] = (keys, what) => placeOf(yaml, offsetAt(value, yaml, keys, what));
  return { ok: true, source: { data: value.data, placeAt } };
}

function checkSize(text: string, path: string): SourceReading | null {
  if (text.length <= MAX_CHARACTERS) return null;
  const message = `longer than ${MAX_CHARACTERS} characters`;
  return { ok: false, problems: [{ path, line: 1, col: 1, message, expected: 'a settings file' }] };
}

/** Strict JSON; a duplicate key and an empty text are problems too. */
export function readJsonSource(text: string, path: string): SourceReading {
  const json = withoutBom(text);
  const tooLong = checkSize(text, path);
  if (tooLong) return tooLong;
  const reading = readJson(json, MAX_DEPTH);
  if (!reading.ok) {
    const { offset, ok: _, ...words } = reading;
    return { ok: false, problems: [{ path, ...placeOf(json, offset), ...words }] };
  }
  const placeAt: ConfigSource['placeAt'] = (keys, what) => {
    for (let depth = keys.length; depth >= 0; depth -= 1) {
      const place = reading.places.get(JSON.stringify(keys.slice(0, depth)));
      if (place) return placeOf(json, place[what]);
    }
    return { line: 1, col: 1 };
  };
  return { ok: true, source: { data: reading.value, placeAt } };
}

const withoutBom = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

type JsonFault = { offset: number; message: string; expected?: string };

/** Offsets by the JSON text of a path; in a list and at the root the key's is the value's. */
type JsonPlaces = Map<string, { key: number; value: number }>;

// Ends the walk: the parser goes on after a mistake, and calls itself for each level of nesting.
const STOP = new Error('the JSON has a fault');

/** Accepts what JSON.parse accepts, except duplicate keys and nesting deeper than `maxDepth`. */
export function readJson(
  text: string,
  maxDepth: number,
): { ok: true; value: unknown; places: JsonPlaces } | ({ ok: false } & JsonFault) {
  const places: JsonPlaces = new Map();
  let found: JsonFault | undefined;
  const stop = (fault: JsonFault): never => {
    found = fault;
    throw STOP;
  };
  try {
    visit(text, createVisitor(text, maxDepth, places, stop), { disallowComments: true });
  } catch (error) {
    if (error !== STOP) throw error;
    return { ok: false, ...found! };
  }
  return { ok: true, value: JSON.parse(text), places };
}

const A_KEY = 'a key in double quotes';
const A_VALUE = 'a value: text in double quotes, a number, true, false, null, { or [';

function createVisitor(
  text: string,
  maxDepth: number,
  places: JsonPlaces,
  stop: (fault: JsonFault) => never,
): JSONVisitor {
  const closers: string[] = [];
  let key: number | null = null;
  let expected = A_VALUE;
  const startValue = (offset: number, path: JSONPath): void => {
    if (path.length > maxDepth) stop({ offset, message: `nested deeper than ${maxDepth} levels` });
    places.set(JSON.stringify(path), { key: key ?? offset, value: offset });
    key = null;
  };
  const endValue = (): void => {
    const closer = closers.at(-1);
    expected = closer === undefined ? 'nothing more' : `"," or "${closer}"`;
  };
  const open = (closer: string, offset: number, path: JSONPath): void => {
    startValue(offset, path);
    closers.push(closer);
    expected = closer === '}' ? A_KEY : A_VALUE;
  };
  const close = (offset: number): void => {
    // Called at the end of a text that is cut off, too.
    if (text[offset] !== closers.at(-1)) return;
    closers.pop();
    endValue();
  };
  return {
    onObjectProperty(name, offset, _length, _line, _column, path) {
      if (places.has(JSON.stringify([...path(), name])))
        stop({ offset, message: `key ${JSON.stringify(name)} stands here twice` });
      key = offset;
      expected = '":" after the key';
    },
    onLiteralValue(_value, offset, _length, _line, _column, path) {
      startValue(offset, path());
      endValue();
    },
    onObjectBegin: (offset, _length, _line, _column, path) => open('}', offset, path()),
    onArrayBegin: (offset, _length, _line, _column, path) => open(']', offset, path()),
    onObjectEnd: close,
    onArrayEnd: close,
    onSeparator(separator) {
      expected = separator === ',' && closers.at(-1) === '}' ? A_KEY : A_VALUE;
    },
    onError: (code, offset) => stop(toFault(text, offset, printParseErrorCode(code), expected)),
  };
}

function toFault(text: string, offset: number, code: string, expected: string): JsonFault {
  if (code === 'UnexpectedEndOfNumber')
    return { offset, message: 'a number that is not finished', expected: 'a digit' };
  if (/^(?:UnexpectedEndOfString|Invalid(?:EscapeCharacter|Unicode|Character))$/.test(code)) {
    const message = 'a text that is not closed, or holds a line break or a bad escape';
    return { offset, message, expected: 'text in double quotes' };
  }
  // A word as a whole, such as `True`; of anything else the first character.
  const found = /^(?:[A-Za-z][\w.]{0,30}|.)/su.exec(text.slice(offset))?.[0];
  if (found === undefined) return { offset, message: 'the file ends here', expected };
  if (/[}\]]/.test(found) && /,\s*$/.test(text.slice(0, offset)))
    return { offset, message: `"${found}" right after a comma`, expected };
  const message = expected === 'nothing more' ? 'text after the end' : `unexpected ${JSON.stringify(found)}`;
  return { offset, message, expected };
}
