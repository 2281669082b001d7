// What a line can start besides a container: headings, thematic breaks, HTML and fenced code. Looks at one line only.
import { type HtmlKind, htmlStart } from './html-blocks.ts';
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
    case '<': {
      const html = htmlStart(cursor.rest(), !interrupt || lazy);
      return html && { kind: 'html', html: html.kind, closer: html.closer, closed: html.closed };
    }
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
