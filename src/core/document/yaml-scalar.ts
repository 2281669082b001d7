// Values → YAML on one line. A string is plain only where every YAML 1.1 and 1.2 reader reads that same string, else quoted.
import { RoomError } from '../errors.ts';

export type Item = string | Readonly<Record<string, unknown>>;
export type Value = string | number | boolean | Item[];
export type Quote = 'plain' | 'single' | 'double';

export interface ValueStyle {
  flow: boolean; // Inside `{}` or `[]`, commas and brackets end a plain value.
  quote: Quote; // As before; `plain` gives way where the text needs quotes.
}

// C0, DEL and C1 controls, the line ends YAML 1.1 knows, BOM, lone surrogates, non-characters.
const UNPRINTABLE = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]|\p{Surrogate}/u;
const ESCAPED = new RegExp(`["\\\\]|${UNPRINTABLE.source}`, 'gu');
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

const INDICATOR_FIRST = /^[-?:,[\]{}#&*!|>'"%@`=]/;
const COLON_OR_COMMENT = /:(?=\s|$)|\s#/;
const FLOW_SPECIAL = /[,[\]{}:?]/;
// Of YAML 1.1 and 1.2: also base 60, separators and dates.
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|~|<<)$/i;
const NUMBERS = [
  /^[-+]?[0-9][0-9_,]*(?:\.[0-9_,]*)?$/,
  /^[-+]?\.[0-9_]*$/,
  // Some readers of 1.1 take an exponent alone: e2.
  /^[-+]?[0-9_,]*(?:\.[0-9_]*)?e[-+]?[0-9]+$/i,
  /^[-+]?0(?:x[0-9a-f_,]+|o?[0-7_,]+|b[01_,]+)$/i,
  /^[-+]?[0-9][0-9_,]*(?::[0-9_]+)+(?:\.[0-9_]*)?$/,
  /^[-+]?\.(?:inf|nan)$/i,
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?$/,
];

/** Throws RoomError `bad_input` for a number that is not finite. */
export function formatValue(value: Value, style: ValueStyle): string {
  if (typeof value === 'string') return formatString(value, style);
  if (Array.isArray(value))
    return `[${value.map((item) => formatItem(item, { flow: true, quote: 'plain' })).join(', ')}]`;
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RoomError('bad_input', `${value} can't be written to a file`);
  return String(value);
}

/** Throws RoomError `bad_input` for a map that holds more than plain values. */
export function formatItem(item: Item, style: ValueStyle): string {
  if (typeof item === 'string') return formatString(item, style);
  const pairs = Object.entries(item).map(([key, value]) => {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    if (!isPlain) throw new RoomError('bad_input', `${key} of a list's item is no plain value`);
    return formatPair(key, value, true);
  });
  return `{${pairs.join(', ')}}`;
}

/** The old quotes where they can hold the text, plain where that is safe, else double quotes. */
export function formatString(text: string, { flow, quote }: ValueStyle): string {
  const printable = !UNPRINTABLE.test(text);
  if (quote === 'single' && printable) return `'${text.replaceAll("'", "''")}'`;
  if (quote === 'plain' && printable && isPlainSafe(text, flow)) return text;
  return `"${text.replace(ESCAPED, escapeChar)}"`;
}

/** Throws RoomError `bad_input` as its parts do. */
export const formatPair = (key: string, value: Value, flow: boolean): string =>
  `${formatKey(key, flow)}: ${formatValue(value, { flow, quote: 'plain' })}`;

/** Throws RoomError `bad_input` for an empty or overlong key. */
function formatKey(key: string, flow: boolean): string {
  const written = formatString(key, { flow, quote: 'plain' });
  // YAML wants the colon within 1024 characters.
  if (key === '' || written.length > 1000) throw new RoomError('bad_input', 'a key is empty or too long');
  return written;
}

function isPlainSafe(text: string, flow: boolean): boolean {
  if (text === '' || text !== text.trim() || INDICATOR_FIRST.test(text) || COLON_OR_COMMENT.test(text))
    return false;
  if (flow && FLOW_SPECIAL.test(text)) return false;
  return !WORDS.test(text) && !text.startsWith('...') && !NUMBERS.some((pattern) => pattern.test(text));
}

function escapeChar(char: string): string {
  const short = SHORT_ESCAPES[char];
  if (short !== undefined) return short;
  const code = char.charCodeAt(0).toString(16).toUpperCase();
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
}
