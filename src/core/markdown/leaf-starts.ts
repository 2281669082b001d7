// What a line can start besides a container: headings, thematic breaks, HTML and fenced code. Looks at one line only.
import type { LineCursor } from './line-cursor.ts';

export type Depth = 1 | 2 | 3 | 4 | 5 | 6;

export interface Span {
  start: number;
  end: number;
}

export interface Heading extends Span {
  depth: Depth;
  /** Start of its own first line: after `start` where link definitions of the same paragraph stand before it. */
  ownStart: number;
  /** The raw content without surrounding spaces; closing `#`s are left out, line ends of a setext heading are not. */
  text: string;
}

export type LeafStart =
  | { kind: 'atx' | 'setext'; depth: Depth }
  | { kind: 'break' }
  /** `closer` closes it on a line of its own, null where a blank line does; the opening line ends one that is `closed`. */
  | { kind: 'html'; html: HtmlKind; closer: string | null; closed: boolean }
  | { kind: 'fence'; marker: number; size: number; info: string };

export const CODE_INDENT = 4;

export function isIndented(cursor: LineCursor): boolean {
  const from = cursor.place();
  const indent = cursor.takeSpaces(CODE_INDENT);
  cursor.moveTo(from);
  return indent === CODE_INDENT;
}

/** What starts in this line. `interrupt`: a paragraph is open, which some blocks can't end. Moves past the indent. */
export function startOf(cursor: LineCursor, lazy: boolean, interrupt: boolean): LeafStart | null {
  if (isIndented(cursor)) return null;
  cursor.takeSpaces(CODE_INDENT);
  switch (cursor.text[cursor.pos]) {
    case '#':
      return startOfAtx(cursor);
    case '=':
    case '-':
      if (interrupt && !lazy && /^(?:=+|-+)[ \t]*$/.test(cursor.rest())) {
        return { kind: 'setext', depth: cursor.text[cursor.pos] === '=' ? 1 : 2 };
      }
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

function startOfAtx(cursor: LineCursor): LeafStart | null {
  const marks = /^#{1,6}(?=[ \t]|$)/.exec(cursor.rest());
  return marks && { kind: 'atx', depth: marks[0].length as Depth };
}

export function atxHeading(cursor: LineCursor, depth: Depth): Heading {
  const { text, start, next } = cursor;
  let from = cursor.pos + depth;
  while (from < cursor.blankFrom && isSpaceAt(text, from)) from += 1;
  let to = Math.max(from, cursor.blankFrom);
  let closing = to;
  while (closing > from && text[closing - 1] === '#') closing -= 1;
  if (closing < to && (closing === from || isSpaceAt(text, closing - 1))) {
    to = closing;
    while (to > from && isSpaceAt(text, to - 1)) to -= 1;
  }
  return { depth, start, ownStart: start, end: next, text: text.slice(from, to) };
}

function isSpaceAt(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}

function startOfFence(cursor: LineCursor): LeafStart | null {
  const { text, pos, blankFrom } = cursor;
  let from = pos;
  while (from < blankFrom && text[from] === text[pos]) from += 1;
  const size = from - pos;
  while (from < blankFrom && isSpaceAt(text, from)) from += 1;
  const info = text.slice(from, blankFrom);
  if (size < 3 || (text[pos] === '`' && info.includes('`'))) return null;
  return { kind: 'fence', marker: text.charCodeAt(pos), size, info };
}

/** 1 raw element, 2 comment, 3 instruction, 4 declaration, 5 CDATA, 6 block element, 7 any complete tag alone on its line. */
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

/** The HTML block that starts at the beginning of `rest` (a line from its `<` on), or null. */
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

/** True when this line, any but the opening one, ends the block. Kinds 6 and 7 end at a blank line instead. */
export function endsHtml(kind: HtmlKind, line: string): boolean {
  return HTML_ENDS[kind]?.(line) ?? false;
}

function marked(html: HtmlKind, closer: string | null, closed: boolean): LeafStart {
  return { kind: 'html', html, closer, closed };
}

/** micromark takes brackets in pairs, so that `]]]>` does not end CDATA. */
function endsCdata(text: string): boolean {
  for (const [pair] of text.matchAll(/\]\]>?/g)) if (pair === ']]>') return true;
  return false;
}

// An attribute's value stands behind `=`, which micromark takes again after an unquoted value. Behind a quoted one comes a space or the end.
const UNQUOTED = String.raw`(?:[ \t]*=[ \t]*(?:[^ \t"'/<=>\x60]+|(?=/)))*`;
const QUOTED = String.raw`(?:[ \t]*=[ \t]*(?:"[^"]*"|'[^']*')(?=[ \t/>]))?`;
/** What may follow the name of an opening tag: attributes, `/`, `>` and then only spaces. */
const REST_OF_TAG = new RegExp(
  String.raw`^(?:[ \t]+[:_A-Za-z][-.:_A-Za-z0-9]*${UNQUOTED}${QUOTED})*[ \t]*/?>[ \t]*$`,
);
