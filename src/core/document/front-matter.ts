// Where front matter begins and ends. The reading is strict: `---` alone on the first line and on the first
// later line that starts with it. What gray-matter would split elsewhere is a fault, never a guess.
import matter from 'gray-matter';
import { type Fault, fail, type Result } from './fault.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { readYaml, type YamlReading } from './yaml-read.ts';

/** Above this YAML is not parsed: the time to parse hostile YAML of this size stays below a second. */
export const MAX_FRONT_MATTER_BYTES = 64 * 1024;
// gray-matter's test for empty front matter takes time that grows with the square of such a gap.
const MAX_GAP = 2000;

const BOM = '\uFEFF';
const OPENING = /---[ \t]*(?:\r?\n|$)/y;
const CLOSING = /---[ \t]*(?:\r?\n|$)/y;
const TOML = /\+\+\+[ \t]*(?:\r?\n|$)/y;
const TOML_MORE = {
  expected: 'YAML between two lines `---`',
  hint: 'write the keys as YAML (`key: value`) between two lines `---`, or start the file with a blank line when no front matter is meant',
};
const DOTS = /\.\.\.(?=[ \t\r\n]|$)/y;

/** Offsets in the whole text, in UTF-16 units. */
export interface FrontMatter {
  /** Offset of the opening `---`, after a BOM. */
  start: number;
  yamlStart: number;
  /** End of the YAML and start of the closing line. */
  yamlEnd: number;
  bodyStart: number;
}

export interface FrontMatterReading {
  frontMatter: FrontMatter | null;
  yaml: YamlReading | null;
}

/**
 * Splits and parses; YAML is parsed once at most. Faults carry offsets in `text`.
 * @param tokens keeps what the parser's edits need
 * @param mayBePlain lets lines that need no parser be read without it; their reading has no map
 */
export function readFrontMatter(text: string, tokens = false, mayBePlain = true): Result<FrontMatterReading> {
  const found = findFrontMatter(text);
  if (!found.ok) return found;
  if (found.value === null) return { ok: true, value: { frontMatter: null, yaml: null } };
  const { yamlStart, yamlEnd } = found.value;
  // Lines as simple as these are split and read alike by everyone.
  const plain = mayBePlain ? readPlainYaml(text.slice(yamlStart, yamlEnd)) : null;
  if (plain !== null) return { ok: true, value: { frontMatter: found.value, yaml: plain } };
  const yaml = parseSplit(text, found.value, tokens);
  if (!yaml.ok) return yaml;
  return { ok: true, value: { frontMatter: found.value, yaml: yaml.value } };
}

function findFrontMatter(text: string): Result<FrontMatter | null> {
  const start = text.startsWith(BOM) ? BOM.length : 0;
  TOML.lastIndex = start;
  if (TOML.test(text)) return fail(start, 'the front matter is TOML (`+++`)', TOML_MORE);
  // Four dashes open nothing, in any reading.
  if (!text.startsWith('---', start) || text[start + 3] === '-') return { ok: true, value: null };
  OPENING.lastIndex = start;
  if (!OPENING.test(text)) return faultyOpening(text, start);
  const closing = findClosing(text, start, OPENING.lastIndex);
  if (!closing.ok) return closing;
  const found = { start, ...closing.value };
  const fault = loneReturn(text, found) ?? oversize(text, found);
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
  for (let at = yamlStart; at < text.length; at = nextLine(text, at)) {
    if (text.startsWith('---', at)) {
      CLOSING.lastIndex = at;
      if (!CLOSING.test(text)) return faultyClosing(text, at);
      if (dots >= 0) break;
      return { ok: true, value: { yamlStart, yamlEnd: at, bodyStart: CLOSING.lastIndex } };
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

function loneReturn(text: string, { start, bodyStart }: FrontMatter): Fault | null {
  for (let at = text.indexOf('\r', start); at >= 0 && at < bodyStart; at = text.indexOf('\r', at + 1)) {
    if (text[at + 1] !== '\n') return { at, message: LONE_RETURN, ...LONE_RETURN_MORE };
  }
  return null;
}

function oversize(text: string, { yamlStart, yamlEnd }: FrontMatter): Fault | null {
  const length = yamlEnd - yamlStart;
  // No UTF-16 unit takes more than three bytes.
  if (length * 3 > MAX_FRONT_MATTER_BYTES) {
    const isLong = length > MAX_FRONT_MATTER_BYTES;
    const bytes = isLong ? length : new TextEncoder().encode(text.slice(yamlStart, yamlEnd)).length;
    if (bytes > MAX_FRONT_MATTER_BYTES) {
      return {
        at: yamlStart,
        message: `the front matter is longer than ${MAX_FRONT_MATTER_BYTES / 1024} KiB`,
        hint: 'move long text into the body, and check that `---` closes the front matter',
      };
    }
  }
  if (length <= MAX_GAP) return null;
  for (const gap of text.slice(yamlStart, yamlEnd).matchAll(/\s+/g)) {
    if (gap[0].length > MAX_GAP) {
      const message = `the front matter has more than ${MAX_GAP} blank characters in a row`;
      return { at: yamlStart + gap.index, message, hint: 'delete the blank lines' };
    }
  }
  return null;
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function parseSplit(text: string, found: FrontMatter, tokens: boolean): Result<YamlReading> {
  let yaml: Result<YamlReading> | null = null;
  // gray-matter drops the last line end, which a block scalar needs: it is asked where, and answered what.
  const parse = (): Record<string, unknown> => {
    yaml = readYaml(text.slice(found.yamlStart, found.yamlEnd), tokens);
    return {};
  };
  // Options are always given: without them gray-matter keeps every text for ever, and a failure reads as {}
  // the second time. The body can't change the split, so it is not handed over.
  const file = matter(text.slice(found.start, found.bodyStart), { engines: { yaml: parse, ...REFUSING } });
  if (file.matter !== text.slice(found.start + 3, found.yamlEnd - 1)) {
    return fail(found.start, 'other tools find another end of this front matter', {
      expected: '`---` alone on the first line and on the line after the last key',
    });
  }
  // Not called for what it takes as empty; its idea of a blank is wider than YAML's.
  if (yaml === null) parse();
  return shift(yaml as unknown as Result<YamlReading>, found.yamlStart);
}

function refuse(): never {
  throw new Error('front matter is always YAML');
}

const REFUSING = { javascript: refuse, json: refuse, coffee: refuse, toml: refuse };

function shift(result: Result<YamlReading>, by: number): Result<YamlReading> {
  if (result.ok) return result;
  return { ok: false, faults: result.faults.map((fault) => ({ ...fault, at: fault.at + by })) };
}
