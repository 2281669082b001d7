// Edits of front matter that plain-yaml.ts reads: each key is a line of its own, so that a value is a span of its line.
// A property test holds these edits equal to those the parser's tokens give.
import type { Edit } from './edits.ts';
import { formatPair, formatValue, type Value } from './yaml-scalar.ts';

/** Lines that `readPlainYaml` understood, with what it read. */
export interface PlainSource {
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
