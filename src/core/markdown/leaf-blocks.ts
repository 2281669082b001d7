// Blocks inside the innermost container (paragraphs, headings, code, HTML), fed the rest of each line. One is open at
// most; those at the root, where `level` is 0, are reported.
import type { Depth, Heading, HtmlKind, LeafStart, Span } from './leaf-starts.ts';
import { atxHeading, CODE_INDENT, endsHtml, isIndented, skipDefinitions, startOf } from './leaf-starts.ts';
import type { LineCursor } from './lines.ts';

export type { Heading, Span } from './leaf-starts.ts';

export interface Fence extends Span {
  info: string;
  contentStart: number;
  contentEnd: number; // Of the closing line; the end of the text without one.
  closed: boolean;
}

export interface LeafSink {
  headings: Heading[];
  fences: Fence[];
  paragraphs: Span[]; // With link definitions, which are read only where they matter.
}

interface Paragraph {
  kind: 'paragraph';
  /** Set when the first line begins with `[`: there may be definitions. */
  lines: { start: number; textStart: number; text: string }[] | null;
  start: number;
  textStart: number;
  textEnd: number;
  span: Span | null;
}

type FencedCode = { kind: 'fence'; marker: number; size: number; fence: Fence | null };

type Open =
  | Paragraph
  | FencedCode
  | { kind: 'html'; html: HtmlKind; closer: string | null }
  | { kind: 'code' };

/** Where the reading of blocks stands: the open one, and where those at the root are reported. */
export type Leaf = { open: Open | null; readonly sink: LeafSink };

/** What closes the open block; null when a blank line is enough. */
export function closingLine({ open }: Leaf): string | null {
  if (open?.kind === 'fence') return String.fromCharCode(open.marker).repeat(open.size);
  return open?.kind === 'html' ? open.closer : null;
}

/** `lazy`: the line lacks the prefix of an open container. True when it continues a block: lazy, it leaves those open. */
export function readLeafLine(leaf: Leaf, cursor: LineCursor, lazy: boolean, level: number): boolean {
  const { open } = leaf;
  if (open?.kind === 'paragraph') return readInParagraph(leaf, cursor, open, lazy, level);
  if (open && isInside(leaf, cursor, open, lazy)) return false;
  leaf.open = null;
  if (!cursor.isBlank()) beginBlock(leaf, cursor, startOf(cursor, lazy, false), lazy, level);
  return false;
}

/** Whether the line belongs to the open code or HTML; it may also end it. */
function isInside(leaf: Leaf, cursor: LineCursor, open: Exclude<Open, Paragraph>, lazy: boolean): boolean {
  if (lazy) return false;
  if (open.kind === 'code') return cursor.isBlank() || isIndented(cursor);
  if (open.kind === 'html') {
    if (open.html >= 6) return !cursor.isBlank();
    if (endsHtml(open.html, cursor.rest())) leaf.open = null;
    return true;
  }
  const closed = isClosingFence(cursor, open);
  if (open.fence) {
    open.fence.end = cursor.next;
    open.fence.contentEnd = closed ? cursor.start : cursor.next;
    open.fence.closed = closed;
  }
  if (closed) leaf.open = null;
  return true;
}

function readInParagraph(leaf: Leaf, cursor: LineCursor, open: Paragraph, lazy: boolean, level: number) {
  if (cursor.isBlank()) {
    leaf.open = null;
    return false;
  }
  const start = startOf(cursor, lazy, true);
  if (!start) {
    addLine(open, cursor);
    return true;
  }
  leaf.open = null;
  if (start.kind === 'setext') {
    const found = endSetext(leaf.sink, cursor, open, start.depth, level);
    // Under definitions alone the line is read again as one without a paragraph before it.
    if (!found) beginBlock(leaf, cursor, startOf(cursor, lazy, false), lazy, level);
    return false;
  }
  beginBlock(leaf, cursor, start, lazy, level);
  // micromark looks ahead through such a tag before it decides, and keeps the containers open meanwhile.
  return start.kind === 'html' && start.html === 7;
}

function beginBlock(leaf: Leaf, cursor: LineCursor, start: LeafStart | null, lazy: boolean, level: number) {
  const atRoot = level === 0;
  if (!start && isIndented(cursor)) {
    // micromark ends indented code that begins in a lazy line at that line.
    leaf.open = lazy ? null : { kind: 'code' };
  } else if (!start || start.kind === 'setext') {
    leaf.open = newParagraph(cursor);
    if (atRoot) {
      leaf.open.span = { start: cursor.start, end: cursor.next };
      leaf.sink.paragraphs.push(leaf.open.span);
    }
  } else if (start.kind === 'atx') {
    if (atRoot) leaf.sink.headings.push(atxHeading(cursor, start.depth));
  } else if (start.kind === 'html') {
    leaf.open = start.closed ? null : { kind: 'html', html: start.html, closer: start.closer };
  } else if (start.kind === 'fence') {
    const { next } = cursor;
    const span = { start: cursor.start, end: next, contentStart: next, contentEnd: next };
    const fence = atRoot ? { ...span, info: start.info, closed: false } : null;
    if (fence) leaf.sink.fences.push(fence);
    leaf.open = { kind: 'fence', marker: start.marker, size: start.size, fence };
  }
}

/** False when the paragraph holds only definitions. */
function endSetext(sink: LeafSink, cursor: LineCursor, open: Paragraph, depth: Depth, level: number) {
  let ownStart = open.start;
  let { textStart } = open;
  if (open.lines) {
    const text = open.lines.map((line) => line.text).join('\n');
    let rest = skipDefinitions(text);
    if (rest >= text.length) return false;
    const first = open.lines.find((line) => {
      rest -= line.text.length + 1;
      return rest < 0;
    })!;
    ownStart = first.start;
    textStart = first.textStart;
  }
  if (level > 0) return true;
  sink.headings.push({
    depth,
    ownStart,
    start: open.start,
    end: cursor.next,
    text: cursor.text.slice(textStart, open.textEnd),
  });
  if (ownStart === open.start) sink.paragraphs.pop();
  else open.span!.end = ownStart;
  return true;
}

function newParagraph(cursor: LineCursor): Paragraph {
  cursor.takeSpaces(CODE_INDENT);
  const open: Paragraph = {
    kind: 'paragraph',
    lines: cursor.text[cursor.pos] === '[' ? [] : null,
    start: cursor.start,
    textStart: cursor.pos,
    textEnd: cursor.blankFrom,
    span: null,
  };
  addLine(open, cursor);
  return open;
}

function addLine(open: Paragraph, cursor: LineCursor): void {
  open.textEnd = cursor.blankFrom;
  if (open.span) open.span.end = cursor.next;
  if (!open.lines) return;
  const text = cursor.expandedRest();
  cursor.takeSpaces(Number.POSITIVE_INFINITY);
  open.lines.push({ start: cursor.start, textStart: cursor.pos, text });
}

function isClosingFence(cursor: LineCursor, open: FencedCode): boolean {
  cursor.takeSpaces(3);
  let size = 0;
  while (cursor.code() === open.marker) {
    cursor.take();
    size += 1;
  }
  return size >= open.size && cursor.isBlank();
}
