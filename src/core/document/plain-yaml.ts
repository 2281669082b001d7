// The YAML of nearly every task file (lines of `key: words`, `key: "words"` and lists in brackets), read in a tenth of
// the parser's time. What it is not sure of it leaves to the parser; a property test holds both equal.
import type { YamlReading } from './yaml-read.ts';

// Characters without a meaning in YAML inside a value; colon, hash and space are looked at below.
const WORDS = `[A-Za-z0-9][A-Za-z0-9 _./@+()!?*=%,;'&:#-]*`;
// Without escapes, control characters and the line ends of any YAML.
const QUOTED = String.raw`"[^"\\\x00-\x1F\x7F-\x9F\u2028\u2029\uFEFF\uFFFE\uFFFF]*"`;
const LIST = String.raw`\[(?:[A-Za-z0-9 _./,-]|${QUOTED})*\]`;
const LINE = new RegExp(`([A-Za-z][A-Za-z0-9_-]{0,63}): +(?:(${WORDS})|(${QUOTED})|(${LIST}))\n`, 'y');
// A comma inside quotes ends no item.
const ITEM = new RegExp(`(?:${QUOTED}|[^",])*`, 'y');
// Words that some YAML does not take as text, in any case.
const SPECIAL = /^(?:null|true|false)$/i;

/** What `readYaml` would give without tokens, or null for what only the parser can tell. */
export function readPlainYaml(source: string): YamlReading | null {
  const reading: YamlReading = {
    document: null,
    map: null,
    data: {},
    sources: Object.create(null) as Record<string, string>,
    offsets: Object.create(null) as Record<string, number>,
  };
  for (let at = 0; at < source.length; at = LINE.lastIndex) {
    LINE.lastIndex = at;
    const [line, key = '', words, quoted, list = ''] = LINE.exec(source) ?? [];
    if (line === undefined || SPECIAL.test(key) || Object.hasOwn(reading.data, key)) return null;
    const written = words ?? quoted;
    const value = written === undefined ? readList(list.slice(1, -1)) : readScalar(written);
    if (value === null) return null;
    reading.data[key] = value;
    reading.offsets[key] = at + line.length - 1 - (written ?? list).length;
    if (written !== undefined) reading.sources[key] = quoted === undefined ? written : quoted.slice(1, -1);
  }
  return source === '' ? null : reading;
}

function readList(items: string): unknown[] | null {
  if (items.trim() === '') return [];
  const values: unknown[] = [];
  for (let at = 0; at <= items.length; at = ITEM.lastIndex + 1) {
    ITEM.lastIndex = at;
    const value = readScalar((ITEM.exec(items)?.[0] ?? '').trim());
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

function readScalar(text: string): string | number | boolean | null {
  if (!text.includes('"')) return readWord(text);
  return text.indexOf('"', 1) === text.length - 1 && text.startsWith('"') ? text.slice(1, -1) : null;
}

/** Null when it may be no value, or of another type. */
function readWord(text: string): string | number | boolean | null {
  const last = text.charAt(text.length - 1);
  if (last === '' || last === ' ' || last === ':' || /: | #/.test(text)) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (SPECIAL.test(text)) return null;
  const first = text.charAt(0);
  if (/[A-Za-z]/.test(first)) return text;
  if (!/[0-9]/.test(first) || /^0[xo]/.test(text)) return null;
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  // A letter other than an exponent's, or the form of a date: no number in any case.
  return /[A-DF-Za-df-z]|^\d{4}-\d\d-\d\d$/.test(text) ? text : null;
}
