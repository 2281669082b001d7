// Taking apart events of which nothing is certain: every look gives a value of the wanted kind, or says that there is none.

export type Fields = Readonly<Record<string, unknown>>;

const EMPTY: Fields = {};
const INPUT_LENGTH = 300;
/** What a tool call is about, where its input has one of these. */
const TELLING = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'absolute_path',
  'path',
  'pattern',
  'query',
  'url',
];

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : EMPTY;
}

export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A count of tokens; 0 for anything else. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function parseEvent(line: string): Fields | null {
  if (!line.startsWith('{')) return null;
  try {
    return fieldsOf(JSON.parse(line));
  } catch {
    return null;
  }
}

export function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((part) => textOf(fieldsOf(part).text)).join('');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** A tool's input as one short line: what it is about where that is known, else as JSON. */
export function inputLine(value: unknown): string {
  const fields = fieldsOf(value);
  const telling = TELLING.map((key) => fields[key]).find((each) => each !== undefined && each !== '');
  const text =
    typeof value === 'string' ? value : telling === undefined ? JSON.stringify(value ?? {}) : lineOf(telling);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= INPUT_LENGTH ? line : `${line.slice(0, INPUT_LENGTH - 1)}…`;
}

function lineOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A configuration that stands in a variable. Of one that is broken nothing: the program's own files still hold. */
export function readJsonFields(text: string | undefined): Fields {
  try {
    return fieldsOf(JSON.parse(text || '{}'));
  } catch {
    return {};
  }
}
