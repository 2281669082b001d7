// Finds the root-level blocks of a Markdown text in one pass and linear time: headings, fenced code, list items, quotes
// and paragraphs, where micromark (CommonMark) finds them. Containers are followed MAX_DEPTH deep. A heading `# …` at
// the margin is found whatever stands before it, except in open fences and HTML at the root.
import { closingLine, type Leaf, type LeafSink, readLeafLine, type Span } from './leaf-blocks.ts';
import { LineCursor } from './lines.ts';

// Block quotes and lists: how a line continues open ones and opens new ones. Follows micromark, also where it departs from CommonMark.
type Quote = { kind: 'quote' };

interface List {
  kind: 'list';
  ordered: boolean;
  marker: number; // Of the bullet, or of `.` or `)` after the number.
  size: number; // Columns of indent that a line of the item needs.
  initialBlank: boolean; // The item's first line is empty; after one more blank line the item is over.
  furtherBlank: boolean;
}

type Container = Quote | List;

const GREATER = 62;
const STAR = 42;
const PLUS = 43;
const DASH = 45;
const DOT = 46;
const PAREN = 41;
const ZERO = 48;
const ONE = 49;
const NINE = 57;
const SPACE = 32;
const MAX_DIGITS = 9;

/** Skips the container's prefix in this line; `item` starts a new item of the list. The cursor stays on `no`. */
function continueContainer(cursor: LineCursor, container: Container): 'yes' | 'no' | 'item' {
  if (container.kind === 'quote') return takeQuoteMarker(cursor) ? 'yes' : 'no';
  if (cursor.isBlank()) {
    container.furtherBlank ||= container.initialBlank;
    cursor.takeSpaces(container.size);
    return 'yes';
  }
  const over = container.furtherBlank || cursor.code() !== SPACE;
  container.furtherBlank = false;
  container.initialBlank = false;
  if (!over) {
    const from = cursor.place();
    if (cursor.takeSpaces(container.size) === container.size) return 'yes';
    cursor.moveTo(from);
  }
  return takeItem(cursor, container, false) ? 'item' : 'no';
}

function takeQuoteMarker(cursor: LineCursor): boolean {
  const from = cursor.place();
  cursor.takeSpaces(3);
  if (cursor.code() !== GREATER) {
    cursor.moveTo(from);
    return false;
  }
  cursor.take();
  cursor.takeSpaces(1);
  return true;
}

/** Skips a marker that fits the list (any when it has none yet) and the space behind it. `interrupt`: a paragraph is open. */
function takeItem(cursor: LineCursor, list: List, interrupt: boolean): boolean {
  const from = cursor.place();
  const prefix = cursor.takeSpaces(3);
  const width = takeMarker(cursor, list, interrupt);
  const markerEnd = prefix + width;
  if (width > 0 && cursor.isBlank() && !interrupt) {
    list.initialBlank = true;
    list.size = markerEnd + 1;
    return true;
  }
  if (width > 0 && !cursor.isBlank()) {
    const behind = cursor.place();
    let padding = cursor.takeSpaces(4);
    if (padding > 0 && cursor.code() === SPACE) {
      // Five columns or more: one is the marker's, the rest indented code.
      cursor.moveTo(behind);
      padding = cursor.takeSpaces(1);
    }
    if (padding > 0) {
      list.size = markerEnd + padding;
      return true;
    }
  }
  cursor.moveTo(from);
  return false;
}

/** Skips the marker of an item and notes it in the list; returns its width, 0 when none fits. */
function takeMarker(cursor: LineCursor, list: List, interrupt: boolean): number {
  const isFirst = list.marker === 0;
  const code = cursor.code();
  if (isFirst ? code === STAR || code === PLUS || code === DASH : !list.ordered) {
    if (!isFirst && code !== list.marker) return 0;
    if (code !== PLUS && cursor.isThematicBreak()) return 0;
    cursor.take();
    list.marker = code;
    return 1;
  }
  if (isFirst && interrupt && code !== ONE) return 0;
  let digits = 0;
  while (digits < MAX_DIGITS && cursor.code() >= ZERO && cursor.code() <= NINE) {
    cursor.take();
    digits += 1;
  }
  const marker = cursor.code();
  const fits = isFirst ? marker === DOT || marker === PAREN : marker === list.marker;
  if (digits === 0 || !fits || (isFirst && interrupt && digits > 1)) return 0;
  cursor.take();
  list.ordered = true;
  list.marker = marker;
  return digits + 1;
}

export type { Fence, Span } from './leaf-blocks.ts';

/** Containers inside each other that are told apart. */
export const MAX_DEPTH = 50;

export interface ListItem extends Span {
  contentStart: number; // After the marker and the spaces that belong to it.
}

/** Every span starts at a line's start and ends after its last line's line end. */
export interface BlockScan extends LeafSink {
  items: ListItem[]; // The end may include blank lines.
  quotes: Span[];
  /** The line that closes what is open at the end and would swallow an appended heading; null for nothing. */
  openAtEnd: string | null;
}

/** Of a text without front matter; a byte order mark at its start is skipped. */
export function scanBlocks(body: string): BlockScan {
  const scan: BlockScan = {
    headings: [],
    fences: [],
    items: [],
    quotes: [],
    paragraphs: [],
    openAtEnd: null,
  };
  const cursor = new LineCursor(body);
  const scanner: Scanner = { cursor, scan, leaf: { open: null, sink: scan }, stack: [], rootSpan: null };
  while (cursor.advance()) {
    if (cursor.start === 0 && body.charCodeAt(0) === 0xfeff) cursor.pos = 1;
    scanLine(scanner);
    if (scanner.stack.length > 0 && scanner.rootSpan) scanner.rootSpan.end = cursor.next;
  }
  if (scanner.stack.length === 0) scan.openAtEnd = closingLine(scanner.leaf);
  return scan;
}

interface Scanner {
  cursor: LineCursor;
  scan: BlockScan;
  leaf: Leaf;
  stack: Container[]; // The containers that are open, the outermost first.
  rootSpan: Span | null; // Of the outermost container that is open.
}

function scanLine(scanner: Scanner): void {
  const { cursor, leaf, stack } = scanner;
  let continued = 0;
  let newItem = false;
  while (continued < stack.length && !newItem) {
    const answer = continueContainer(cursor, stack[continued]!);
    if (answer === 'no') break;
    continued += 1;
    newItem = answer === 'item';
  }
  if (newItem) {
    leaf.open = null;
    stack.length = continued;
    if (continued === 1) openRootSpan(scanner, 'list');
  }
  const all = continued === stack.length;
  // No container can reach into the lines of fenced code and HTML.
  if (all && (leaf.open?.kind === 'fence' || leaf.open?.kind === 'html')) {
    readLeafLine(leaf, cursor, false, continued);
    return;
  }
  const opened = openContainers(scanner, continued, all && leaf.open !== null);
  const lazy = !opened && !all;
  const kept = readLeafLine(leaf, cursor, lazy, lazy ? continued : stack.length);
  if (lazy && !kept) stack.length = continued;
}

/** Opens those that start here, after `continued` of the stack; false without any. `interrupt`: in an open block fewer may. */
function openContainers(scanner: Scanner, continued: number, interrupt: boolean): boolean {
  const { cursor, leaf, stack } = scanner;
  for (let depth = continued; depth < MAX_DEPTH; depth += 1) {
    let container: Container = { kind: 'quote' };
    if (!takeQuoteMarker(cursor)) {
      const size = { marker: 0, size: 0 };
      container = { kind: 'list', ordered: false, ...size, initialBlank: false, furtherBlank: false };
      if (!takeItem(cursor, container, interrupt)) return depth > continued;
    }
    if (depth === continued) {
      leaf.open = null;
      stack.length = continued;
    }
    stack.push(container);
    if (depth === 0) openRootSpan(scanner, container.kind);
  }
  return stack.length > continued;
}

function openRootSpan(scanner: Scanner, kind: Container['kind']): void {
  const { start, next, pos } = scanner.cursor;
  if (kind === 'quote') {
    scanner.rootSpan = { start, end: next };
    scanner.scan.quotes.push(scanner.rootSpan);
  } else {
    const item = { start, end: next, contentStart: pos };
    scanner.scan.items.push(item);
    scanner.rootSpan = item;
  }
}
