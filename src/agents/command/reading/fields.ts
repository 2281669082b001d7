import { valueOr } from '../../../core/errors.ts';

// Takes apart events of which nothing is certain: every function returns a value of the wanted kind, or an empty one.

export type Fields = Readonly<Record<string, unknown>>;

const INPUT_LENGTH = 300;
/** The keys of a tool's input that say what the call is about, the first one found. */
const SUBJECT_KEYS = 'command cmd file_path filePath absolute_path path pattern query url'.split(' ');

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A count of tokens; 0 for anything else. */
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

/** The JSON object that a text holds; null for any other text. */
export function parseFields(text = ''): Fields | null {
  if (!text.startsWith('{')) return null;
  return valueOr(null, () => fieldsOf(JSON.parse(text)));
}

/** The words of a text, of a list of parts with texts, or of anything else as JSON. */
export function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((part) => textOf(fieldsOf(part).text)).join('');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

export function oneLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}

/** A tool's input as one short line: what it is about where that is known, else as JSON. */
export function inputLine(value: unknown): string {
  const fields = fieldsOf(value);
  const subject = SUBJECT_KEYS.map((key) => fields[key]).find((each) => each !== undefined && each !== '');
  const words = subject ?? value ?? {};
  if (typeof words === 'string') return oneLine(words, INPUT_LENGTH);
  const isList = subject !== undefined && Array.isArray(words);
  return oneLine(isList ? words.map(String).join(' ') : JSON.stringify(words), INPUT_LENGTH);
}
