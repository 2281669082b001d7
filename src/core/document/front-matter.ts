// Where front matter begins and ends: `---` alone on the first line and on the first later line that starts with it.
// Text that other tools would split elsewhere is a fault, never a guess; a property test compares with gray-matter.
import { emptyReading, type Fault, fail, type Result, readYaml, type YamlReading } from './yaml-read.ts';

/** Longer YAML is not parsed: hostile YAML of this size takes less than a second. */
export const MAX_FRONT_MATTER_BYTES = 64 * 1024;
const BOM = '\uFEFF';
const MARKER = /---[ \t]*(?:\r?\n|$)/y;
const TOML = /\+\+\+[ \t]*(?:\r?\n|$)/y;
const TOML_MORE = {
  expected: 'YAML between two lines `---`',
  hint: 'write the keys as YAML (`key: value`) between two lines `---`, or start the file with a blank line when no front matter is meant',
};
const DOTS = /\.\.\.(?=[ \t\r\n]|$)/y;

export interface FrontMatter {
  start: number; // Of the opening `---`, after a BOM. Offsets count UTF-16 units.
  yamlStart: number;
  yamlEnd: number; // Where the closing line starts.
  bodyStart: number;
}

export type FrontMatterReading = { frontMatter: FrontMatter | null; yaml: YamlReading | null };

/** Faults carry offsets in `text`. @param forEdit the parser reads even the plainest lines, and keeps the tokens edits need */
export function readFrontMatter(text: string, forEdit = false): Result<FrontMatterReading> {
  const found = findFrontMatter(text);
  if (!found.ok) return found;
  const frontMatter = found.value;
  if (frontMatter === null) return { ok: true, value: { frontMatter, yaml: null } };
  const source = text.slice(frontMatter.yamlStart, frontMatter.yamlEnd);
  const plain = forEdit ? null : readPlainYaml(source);
  const yaml: Result<YamlReading> = plain ? { ok: true, value: plain } : readYaml(source, forEdit);
  if (yaml.ok) return { ok: true, value: { frontMatter, yaml: yaml.value } };
  const faults = yaml.faults.map((fault) => ({ ...fault, at: fault.at + frontMatter.yamlStart }));
  return { ok: false, faults };
}

function findFrontMatter(text: string): Result<FrontMatter | null> {
  const start = text.startsWith(BOM) ? BOM.length : 0;
  TOML.lastIndex = start;
  if (TOML.test(text)) return fail(start, 'the front matter is TOML (`+++`)', TOML_MORE);
  // Four dashes open nothing, in any reading.
  if (!text.startsWith('---', start) || text[start + 3] === '-') return { ok: true, value: null };
  MARKER.lastIndex = start;
  if (!MARKER.test(text)) return faultyOpening(text, start);
  const closing = findClosing(text, start, MARKER.lastIndex);
  if (!closing.ok) return closing;
  const found = { start, ...closing.value };
  const fault = faultInside(text, found);
  return fault ? { ok: false, faults: [fault] } : { ok: true, value: found };
}

function faultyOpening(text: string, start: number): Result<never> {
  const rest = /[^\r\n]{0,40}/y;
  rest.lastIndex = start + 3;
  const word = (rest.exec(text)?.[0] ?? '').trim();
  if (word === '') return fail(text.indexOf('\r', start), LONE_RETURN, LONE_RETURN_MORE);
  return fail(start + 3, `text after the opening \`---\`: ${JSON.stringify(word)}`, {
    expected: '`---` alone on its line',
    hint: 'front matter is always YAML; remove the text, or start the file with a blank line when no front matter is meant',
  });
}

type Closing = Pick<FrontMatter, 'yamlStart' | 'yamlEnd' | 'bodyStart'>;

function findClosing(text: string, start: number, yamlStart: number): Result<Closing> {
  let dots = -1;
  for (let at = yamlStart; at < text.length; at = text.indexOf('\n', at) + 1 || text.length) {
    if (text.startsWith('---', at)) {
      MARKER.lastIndex = at;
      if (!MARKER.test(text)) return faultyClosing(text, at);
      if (dots >= 0) break;
      return { ok: true, value: { yamlStart, yamlEnd: at, bodyStart: MARKER.lastIndex } };
    }
    DOTS.lastIndex = at;
    if (dots < 0 && DOTS.test(text)) dots = at;
  }
  if (dots >= 0) {
    return fail(dots, '`...` does not close the front matter, and can not stand inside it', {
      expected: '`---` alone on its line',
      hint: 'close the front matter with `---`',
    });
  }
  return fail(start, 'the front matter opened here is never closed', {
    expected: '`---` alone on a line after the last key',
    hint: 'add the closing `---`, or start the file with a blank line when no front matter is meant',
  });
}

function faultyClosing(text: string, at: number): Result<never> {
  const blank = /---[ \t]*\r/y;
  blank.lastIndex = at;
  if (blank.test(text)) return fail(blank.lastIndex - 1, LONE_RETURN, LONE_RETURN_MORE);
  return fail(at, 'a line of the front matter starts with `---` and is not its end', {
    expected: '`---` alone on its line',
    hint: 'remove what follows the three dashes, or indent the line when it belongs to a value',
  });
}

const LONE_RETURN = 'a line ends with a carriage return alone';
const LONE_RETURN_MORE = { expected: 'LF or CRLF line ends', hint: 'save the file with LF line ends' };

/** What is wrong with the text between the markers: its line ends, or its size. */
function faultInside(text: string, { start, yamlStart, yamlEnd, bodyStart }: FrontMatter): Fault | null {
  for (let at = text.indexOf('\r', start); at >= 0 && at < bodyStart; at = text.indexOf('\r', at + 1)) {
    if (text[at + 1] !== '\n') return { at, message: LONE_RETURN, ...LONE_RETURN_MORE };
  }
  const length = yamlEnd - yamlStart;
  // A UTF-16 unit takes three bytes at most.
  if (length * 3 <= MAX_FRONT_MATTER_BYTES) return null;
  const isLong = length > MAX_FRONT_MATTER_BYTES;
  const bytes = isLong ? length : new TextEncoder().encode(text.slice(yamlStart, yamlEnd)).length;
  if (bytes <= MAX_FRONT_MATTER_BYTES) return null;
  const message = `the front matter is longer than ${MAX_FRONT_MATTER_BYTES / 1024} KiB`;
  const hint = 'move long text into the body, and check that `---` closes the front matter';
  return { at: yamlStart, message, hint };
}

// The YAML of nearly every task file (lines of `key: words`, `key: "words"` and lists in brackets) is read in a tenth of the
// parser's time. What this is not sure of it leaves to the parser; a property test holds both equal.

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
  const reading = emptyReading(null);
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

/** Null when it may be no value, or of another type. */
function readScalar(text: string): string | number | boolean | null {
  if (text.includes('"'))
    return text.indexOf('"', 1) === text.length - 1 && text.startsWith('"') ? text.slice(1, -1) : null;
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
