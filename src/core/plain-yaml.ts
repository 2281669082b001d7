// The YAML that nearly every task file holds, lines of `key: words` and of lists in brackets, read in one pass and a
// tenth of the parser's time. What it is not sure of it leaves to the parser; a property test holds the two equal.
import type { YamlReading } from './yaml-read.ts';

// Characters that mean nothing to YAML inside a value, wherever they stand; the colon and the space are looked at below.
const LINE =
  /([A-Za-z][A-Za-z0-9_-]{0,63}): +(?:([A-Za-z0-9][A-Za-z0-9 _./@+()!?*=%,;'&:-]*)|\[([A-Za-z0-9 _./,-]*)\])\n/y;
// Words that some YAML takes for something else than text, in any case.
const SPECIAL = /^(?:null|true|false)$/i;

/** What `readYaml` would give without tokens, or null for what only the parser can tell. */
export function readPlainYaml(source: string): YamlReading | null {
  const reading: YamlReading = {
    map: null,
    data: {},
    sources: Object.create(null) as Record<string, string>,
    offsets: Object.create(null) as Record<string, number>,
  };
  for (let at = 0; at < source.length; at = LINE.lastIndex) {
    LINE.lastIndex = at;
    const [line, key = '', text, items] = LINE.exec(source) ?? [];
    if (line === undefined || SPECIAL.test(key) || Object.hasOwn(reading.data, key)) return null;
    const value = text === undefined ? readList(items ?? '') : readWord(text);
    if (value === null) return null;
    reading.data[key] = value;
    reading.offsets[key] = at + line.length - 1 - (text?.length ?? (items ?? '').length + 2);
    if (text !== undefined) reading.sources[key] = text;
  }
  return source === '' ? null : reading;
}

function readList(items: string): unknown[] | null {
  if (items.trim() === '') return [];
  const values: unknown[] = [];
  for (const item of items.split(',')) {
    const value = readWord(item.trim());
    if (value === null) return null;
    values.push(value);
  }
  return values;
}

/** The value of a plain scalar; null when it may be none, or be of a type other than these. */
function readWord(text: string): string | number | boolean | null {
  const last = text.charAt(text.length - 1);
  if (last === '' || last === ' ' || last === ':' || text.includes(': ')) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (SPECIAL.test(text)) return null;
  const first = text.charAt(0);
  if (/[A-Za-z]/.test(first)) return text;
  if (!/[0-9]/.test(first) || /^0[xo]/.test(text)) return null;
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  // A letter other than an exponent's, or the form of a date: no number in any case.
  return /[A-DF-Za-df-z]|^\d{4}-\d\d-\d\d$/.test(text) ? text : null;
}
