// Finds the root-level blocks of a Markdown text in one pass and linear time: headings, fenced code, list items, quotes
// and paragraphs, where micromark (CommonMark) finds them. Containers are followed MAX_DEPTH deep. A heading `# …` at
// the margin is found whatever stands before it, except in open fences and HTML at the root.
import { type Fence, type Heading, LeafBlocks, type Span } from './leaf-blocks.ts';
import { LineCursor } from './line-cursor.ts';

// Block quotes and lists: how a line continues open ones and opens new ones. Follows micromark, also where it departs
// from CommonMark.
interface Quote {
  kind: 'quote';
}

interface List {
  kind: 'list';
  ordered: boolean;
  /** Of the bullet, or of `.` or `)` after the number. */
  marker: number;
  /** Columns of indent that a line of the item needs. */
  size: number;
  /** The item's first line is empty; after one more blank line the item is over. */
  initialBlank: boolean;
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

/** Null, without a move, when no container starts here. `interrupt`: a paragraph is open. */
function openContainer(cursor: LineCursor, interrupt: boolean): Container | null {
  if (takeQuoteMarker(cursor)) return { kind: 'quote' };
  const list: List = {
    kind: 'list',
    ordered: false,
    marker: 0,
    size: 0,
    initialBlank: false,
    furtherBlank: false,
  };
  return takeItem(cursor, list, interrupt) ? list : null;
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

/** Skips a marker that fits the list (any when it has none yet) and sets the item's size. */
function takeItem(cursor: LineCursor, list: List, interrupt: boolean): boolean {
  const from = cursor.place();
  const prefix = cursor.takeSpaces(3);
  const width = list.marker === 0 ? takeFirstMarker(cursor, list, interrupt) : takeSameMarker(cursor, list);
  if (width > 0 && takePadding(cursor, list, prefix + width, interrupt)) return true;
  cursor.moveTo(from);
  return false;
}

function takeFirstMarker(cursor: LineCursor, list: List, interrupt: boolean): number {
  const code = cursor.code();
  if (code === STAR || code === PLUS || code === DASH) {
    const width = takeBullet(cursor, code);
    if (width > 0) list.marker = code;
    return width;
  }
  if (interrupt && code !== ONE) return 0;
  const digits = takeDigits(cursor);
  const marker = cursor.code();
  if (digits === 0 || (interrupt && digits > 1) || (marker !== DOT && marker !== PAREN)) return 0;
  cursor.take();
  list.ordered = true;
  list.marker = marker;
  return digits + 1;
}

function takeSameMarker(cursor: LineCursor, list: List): number {
  if (!list.ordered) return takeBullet(cursor, list.marker);
  const digits = takeDigits(cursor);
  if (digits === 0 || cursor.code() !== list.marker) return 0;
  cursor.take();
  return digits + 1;
}

function takeBullet(cursor: LineCursor, bullet: number): number {
  if (cursor.code() !== bullet || (bullet !== PLUS && cursor.isThematicBreak())) return 0;
  cursor.take();
  return 1;
}

function takeDigits(cursor: LineCursor): number {
  let digits = 0;
  while (digits < MAX_DIGITS && cursor.code() >= ZERO && cursor.code() <= NINE) {
    cursor.take();
    digits += 1;
  }
  return digits;
}

function takePadding(cursor: LineCursor, list: List, markerEnd: number, interrupt: boolean): boolean {
  if (cursor.isBlank()) {
    if (interrupt) return false;
    list.initialBlank = true;
    list.size = markerEnd + 1;
    return true;
  }
  const from = cursor.place();
  let padding = cursor.takeSpaces(4);
  if (padding === 0) return false;
  if (cursor.code() === SPACE) {
    // Five columns or more: one is the marker's, the rest indented code.
    cursor.moveTo(from);
    padding = cursor.takeSpaces(1);
  }
  list.size = markerEnd + padding;
  return true;
}

export type { Fence, Heading, Span } from './leaf-blocks.ts';

/** Containers inside each other that are told apart. */
export const MAX_DEPTH = 50;

export interface ListItem extends Span {
  /** After the marker and the spaces that belong to it. */
  contentStart: number;
}

/** Every span starts at a line's start and ends after its last line's line end. */
export interface BlockScan {
  headings: Heading[];
  fences: Fence[];
  /** The end may include blank lines. */
  items: ListItem[];
  quotes: Span[];
  paragraphs: Span[];
  /** The line that closes what is open at the end and would swallow an appended heading; null for nothing. */
  openAtEnd: string | null;
}

/** Of a text without front matter; a byte order mark at its start is skipped. */
export function scanBlocks(body: string): BlockScan {
  const scanner = new Scanner(body);
  return scanner.run();
}

class Scanner {
  readonly #cursor: LineCursor;
  readonly #scan: BlockScan = {
    headings: [],
    fences: [],
    items: [],
    quotes: [],
    paragraphs: [],
    openAtEnd: null,
  };
  readonly #leaf = new LeafBlocks(this.#scan);
  readonly #stack: Container[] = [];
  #rootSpan: Span | null = null;

  constructor(body: string) {
    this.#cursor = new LineCursor(body);
  }

  run(): BlockScan {
    while (this.#cursor.advance()) {
      if (this.#cursor.start === 0 && this.#cursor.text.charCodeAt(0) === 0xfeff) this.#cursor.pos = 1;
      this.#line();
      if (this.#stack.length > 0 && this.#rootSpan) this.#rootSpan.end = this.#cursor.next;
    }
    if (this.#stack.length === 0) this.#scan.openAtEnd = this.#leaf.closer;
    return this.#scan;
  }

  #line(): void {
    const stack = this.#stack;
    const cursor = this.#cursor;
    let continued = 0;
    let newItem = false;
    while (continued < stack.length && !newItem) {
      const answer = continueContainer(cursor, stack[continued]!);
      if (answer === 'no') break;
      continued += 1;
      newItem = answer === 'item';
    }
    if (newItem) {
      this.#leaf.close();
      stack.length = continued;
      if (continued === 1) this.#openRootSpan('list');
    }
    const all = continued === stack.length;
    if (all && this.#leaf.concrete) {
      this.#leaf.line(cursor, false, continued);
      return;
    }
    const opened = this.#openContainers(continued, all && this.#leaf.busy);
    const lazy = !opened && !all;
    const kept = this.#leaf.line(cursor, lazy, lazy ? continued : stack.length);
    if (lazy && !kept) stack.length = continued;
  }

  /** Opens the containers that start here, after the first `continued` of the stack; false without any. */
  #openContainers(continued: number, interrupt: boolean): boolean {
    const stack = this.#stack;
    for (let depth = continued; depth < MAX_DEPTH; depth += 1) {
      const container = openContainer(this.#cursor, interrupt);
      if (!container) return depth > continued;
      if (depth === continued) {
        this.#leaf.close();
        stack.length = continued;
      }
      stack.push(container);
      if (depth === 0) this.#openRootSpan(container.kind);
    }
    return stack.length > continued;
  }

  #openRootSpan(kind: Container['kind']): void {
    const { start, next, pos } = this.#cursor;
    if (kind === 'quote') {
      const quote = { start, end: next };
      this.#scan.quotes.push(quote);
      this.#rootSpan = quote;
    } else {
      const item = { start, end: next, contentStart: pos };
      this.#scan.items.push(item);
      this.#rootSpan = item;
    }
  }
}
