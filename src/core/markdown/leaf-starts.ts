// What one line starts besides a container: headings, thematic breaks, HTML and fenced code.
import { isSpace, type LineCursor } from './lines.ts';

// Where the link definitions (`[a]: /url "title"`) at a paragraph's start end. A line under definitions alone is no setext underline.
const MAX_LABEL = 999;

// Sticky and unambiguous: each takes time in proportion to what it matches.
const LABEL = /\[((?:[^[\]\\]|\\[[\]\\]|\\(?![[\]\\])){1,1999})\]:[ \n]*/y;
const ENCLOSED = /<(?:[^<>\n\\]|\\[<>\\]|\\(?![<>\\]))*>/y;
const TITLE =
  /[ \n]+(?:"(?:[^"\\]|\\["\\]|\\(?!["\\]))*"|'(?:[^'\\]|\\['\\]|\\(?!['\\]))*'|\((?:[^)\\]|\\[)\\]|\\(?![)\\]))*\)) *(?=\n|$)/y;
const REST_OF_LINE = / *(?=\n|$)/y;
const SPACES = / */y;

/** `text` has `\n` line ends, no blank lines and tabs as spaces. Returns `text.length` for definitions alone. */
export function skipDefinitions(text: string): number {
  let at = 0;
  while (text[at] === '[') {
    const end = definitionEnd(text, at);
    if (end < 0) return at;
    if (end >= text.length) return text.length;
    at = endOf(SPACES, text, end + 1);
  }
  return at;
}

function definitionEnd(text: string, at: number): number {
  const from = endOf(LABEL, text, at);
  if (from < 0) return -1;
  const label = text.slice(at + 1, text.lastIndexOf(']:', from - 1));
  if (/^[ \n]*$/.test(label) || label.replaceAll('\n', '').length > MAX_LABEL) return -1;
  const destination = text[from] === '<' ? endOf(ENCLOSED, text, from) : rawEnd(text, from);
  if (destination < 0) return -1;
  const title = endOf(TITLE, text, destination);
  return title >= 0 ? title : endOf(REST_OF_LINE, text, destination);
}

/** -1 where nothing matches at `at`. */
function endOf(what: RegExp, text: string, at: number): number {
  what.lastIndex = at;
  return what.test(text) ? what.lastIndex : -1;
}

/** Behind a destination without angle brackets: balanced parentheses, no spaces or controls; or -1. */
function rawEnd(text: string, at: number): number {
  let depth = 0;
  let index = at;
  for (;;) {
    const char = text[index];
    const space = char === undefined || char === ' ' || char === '\n';
    if (index > at && depth === 0 && (space || char === ')')) return index;
    if (space || /[\x01-\x1f\x7f]/.test(char) || (index === at && char === ')')) return -1;
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    index += char === '\\' && /[()\\]/.test(text[index + 1] ?? '') ? 2 : 1;
  }
}

export type Depth = 1 | 2 | 3 | 4 | 5 | 6;
export type Span = { start: number; end: number };

export interface Heading extends Span {
  depth: Depth;
  ownStart: number; // After `start` where link definitions of the paragraph stand before it.
  text: string; // Raw, without surrounding spaces and closing `#`s, with the line ends of a setext heading.
}

export type LeafStart =
  | { kind: 'atx' | 'setext'; depth: Depth }
  | { kind: 'break' }
  /** `closer`: the line that closes it, null for a blank line. `closed`: the opening line ends it. */
  | { kind: 'html'; html: HtmlKind; closer: string | null; closed: boolean }
  | { kind: 'fence'; marker: number; size: number; info: string };

export const CODE_INDENT = 4;

export function isIndented(cursor: LineCursor): boolean {
  const from = cursor.place();
  const indent = cursor.takeSpaces(CODE_INDENT);
  cursor.moveTo(from);
  return indent === CODE_INDENT;
}

/** `interrupt`: a paragraph is open, which some blocks can't end. Moves past the indent. */
export function startOf(cursor: LineCursor, lazy: boolean, interrupt: boolean): LeafStart | null {
  if (isIndented(cursor)) return null;
  cursor.takeSpaces(CODE_INDENT);
  switch (cursor.text[cursor.pos]) {
    case '#': {
      const marks = /^#{1,6}(?=[ \t]|$)/.exec(cursor.rest());
      return marks && { kind: 'atx', depth: marks[0].length as Depth };
    }
    case '=':
    case '-':
      if (interrupt && !lazy && /^(?:=+|-+)[ \t]*$/.test(cursor.rest()))
        return { kind: 'setext', depth: cursor.text[cursor.pos] === '=' ? 1 : 2 };
      return cursor.text[cursor.pos] === '-' && cursor.isThematicBreak() ? { kind: 'break' } : null;
    case '*':
    case '_':
      return cursor.isThematicBreak() ? { kind: 'break' } : null;
    case '<':
      return htmlStart(cursor.rest(), !interrupt || lazy);
    case '`':
    case '~':
      return startOfFence(cursor);
    default:
      return null;
  }
}

export function atxHeading(cursor: LineCursor, depth: Depth): Heading {
  const { text, start, next } = cursor;
  let from = cursor.pos + depth;
  while (from < cursor.blankFrom && isSpace(text.charCodeAt(from))) from += 1;
  let to = Math.max(from, cursor.blankFrom);
  let closing = to;
  while (closing > from && text[closing - 1] === '#') closing -= 1;
  if (closing < to && (closing === from || isSpace(text.charCodeAt(closing - 1)))) {
    to = closing;
    while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  }
  return { depth, start, ownStart: start, end: next, text: text.slice(from, to) };
}

function startOfFence(cursor: LineCursor): LeafStart | null {
  const { text, pos, blankFrom } = cursor;
  let from = pos;
  while (from < blankFrom && text[from] === text[pos]) from += 1;
  const size = from - pos;
  while (from < blankFrom && isSpace(text.charCodeAt(from))) from += 1;
  const info = text.slice(from, blankFrom);
  if (size < 3 || (text[pos] === '`' && info.includes('`'))) return null;
  return { kind: 'fence', marker: text.charCodeAt(pos), size, info };
}

/** 1 raw element, 2 comment, 3 instruction, 4 declaration, 5 CDATA, 6 block element, 7 any complete tag alone on a line. */
export type HtmlKind = 1 | 2 | 3 | 4 | 5 | 6 | 7;

const RAW_NAMES = new Set(['pre', 'script', 'style', 'textarea']);
const RAW_END = /<\/(?:pre|script|style|textarea)>/i;
const BLOCK_NAMES = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt ' +
    'fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link ' +
    'main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead ' +
    'title tr track ul'
  ).split(' '),
);

/** `rest` is a line from its `<` on. */
function htmlStart(rest: string, completeTagsToo: boolean): LeafStart | null {
  if (rest.startsWith('<!--')) return marked(2, '-->', /^-*>|-->/.test(rest.slice(4)));
  if (rest.startsWith('<?')) return marked(3, '?>', /^>|\?>/.test(rest.slice(2)));
  if (/^<![A-Za-z]/.test(rest)) return marked(4, '>', rest.includes('>'));
  if (rest.startsWith('<![CDATA[')) return marked(5, ']]>', endsCdata(rest.slice(9)));
  const tag = /^<(\/?)([A-Za-z][A-Za-z0-9-]*)(?=[ \t/>]|$)/.exec(rest);
  if (!tag) return null;
  const name = tag[2]!.toLowerCase();
  const closing = tag[1] === '/';
  const after = rest.slice(tag[0].length);
  const slash = after.startsWith('/');
  if (!closing && !slash && RAW_NAMES.has(name)) return marked(1, `</${name}>`, RAW_END.test(after));
  if (BLOCK_NAMES.has(name)) return slash && after[1] !== '>' ? null : marked(6, null, false);
  if (!completeTagsToo) return null;
  const complete = (closing ? /^[ \t]*>[ \t]*$/ : REST_OF_TAG).test(after);
  return complete ? marked(7, null, false) : null;
}

const HTML_ENDS: Partial<Record<HtmlKind, (line: string) => boolean>> = {
  1: (line) => RAW_END.test(line),
  2: (line) => line.includes('-->'),
  3: (line) => line.includes('?>'),
  4: (line) => line.includes('>'),
  5: endsCdata,
};

/** Of any line but the opening one. Kinds 6 and 7 end at a blank line instead. */
export const endsHtml = (kind: HtmlKind, line: string): boolean => HTML_ENDS[kind]?.(line) ?? false;

function marked(html: HtmlKind, closer: string | null, closed: boolean): LeafStart {
  return { kind: 'html', html, closer, closed };
}

/** micromark takes brackets in pairs, so that `]]]>` does not end CDATA. */
function endsCdata(text: string): boolean {
  for (const [pair] of text.matchAll(/\]\]>?/g)) if (pair === ']]>') return true;
  return false;
}

// A value stands behind `=`, which micromark takes again after an unquoted one. A space or the end follows a quoted one.
const UNQUOTED = String.raw`(?:[ \t]*=[ \t]*(?:[^ \t"'/<=>\x60]+|(?=/)))*`;
const QUOTED = String.raw`(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*')(?=[ \t/>]))?`;
/** After the name of an opening tag: attributes, `/`, `>` and then only spaces. */
const REST_OF_TAG = new RegExp(
  String.raw`^(?:[ \t]+[:_A-Za-z][-.:_A-Za-z0-9]*${UNQUOTED}${QUOTED})*[ \t]*/?>[ \t]*$`,
);
