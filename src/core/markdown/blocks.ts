// Finds the root-level blocks of a Markdown text in one pass and linear time: headings, fenced code, list items, quotes
// and paragraphs, where micromark (CommonMark) finds them. Containers are followed MAX_DEPTH deep. A heading `# …` at
// the margin is found whatever stands before it, except in open fences and HTML at the root.
import { type Container, continueContainer, openContainer } from './containers.ts';
import { type Fence, type Heading, LeafBlocks, type Span } from './leaf-blocks.ts';
import { LineCursor } from './line-cursor.ts';

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
