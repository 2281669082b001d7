// Lines and blank space of Markdown: spaces, tabs and line ends (LF, CRLF, lone CR). `LineCursor` reads a text line by line
// in columns (tabs stop at four) and looks at every character a bounded number of times.

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;

/** `spare`: columns left of a tab just passed. */
export type Place = { pos: number; col: number; spare: number };

export class LineCursor implements Place {
  readonly text: string;
  /** `end` is before the line end, `next` the start of the next line. */
  start = 0;
  end = 0;
  next = 0;
  /** Only spaces and tabs follow. */
  blankFrom = 0;
  pos = 0;
  col = 0;
  spare = 0;
  // Kept, so that a text with one kind of line ends is not searched to its end at every line.
  #nextCr: number;
  #nextLf: number;
  #brokenAt = -1;
  #brokenMarker = 0;

  constructor(text: string) {
    this.text = text;
    this.#nextCr = indexOrEnd(text, '\r', 0);
    this.#nextLf = indexOrEnd(text, '\n', 0);
  }

  advance(): boolean {
    const { text } = this;
    if (this.next >= text.length) return false;
    this.start = this.next;
    if (this.#nextCr < this.start) this.#nextCr = indexOrEnd(text, '\r', this.start);
    if (this.#nextLf < this.start) this.#nextLf = indexOrEnd(text, '\n', this.start);
    this.end = Math.min(this.#nextLf, this.#nextCr);
    const crlf = text.charCodeAt(this.end) === CR && text.charCodeAt(this.end + 1) === LF;
    this.next = Math.min(text.length, this.end + (crlf ? 2 : 1));
    this.blankFrom = this.end;
    while (this.blankFrom > this.start && isSpace(text.charCodeAt(this.blankFrom - 1))) this.blankFrom -= 1;
    this.moveTo({ pos: this.start, col: 0, spare: 0 });
    this.#brokenAt = -1;
    return true;
  }

  place(): Place {
    return { pos: this.pos, col: this.col, spare: this.spare };
  }

  moveTo(place: Place): void {
    this.pos = place.pos;
    this.col = place.col;
    this.spare = place.spare;
  }

  isBlank(): boolean {
    return this.pos >= this.blankFrom;
  }

  /** A space for any column of a tab, -1 at the line's end. */
  code(): number {
    if (this.spare > 0) return SPACE;
    if (this.pos >= this.end) return -1;
    const code = this.text.charCodeAt(this.pos);
    return code === TAB ? SPACE : code;
  }

  take(): void {
    this.pos += 1;
    this.col += 1;
  }

  /** Skips up to `max` columns of spaces and tabs; returns how many. */
  takeSpaces(max: number): number {
    let count = 0;
    while (count < max && this.code() === SPACE) {
      if (this.spare > 0) this.spare -= 1;
      else {
        if (this.text.charCodeAt(this.pos) === TAB) this.spare = 3 - (this.col % 4);
        this.pos += 1;
      }
      this.col += 1;
      count += 1;
    }
    return count;
  }

  rest(): string {
    return this.text.slice(this.pos, this.end);
  }

  /** The rest of the line with tabs as the columns they fill. */
  expandedRest(): string {
    const from = this.place();
    let result = '';
    while (this.pos < this.end || this.spare > 0) {
      const spaces = this.takeSpaces(Number.POSITIVE_INFINITY);
      result += ' '.repeat(spaces);
      const wordStart = this.pos;
      while (this.pos < this.end && this.text.charCodeAt(this.pos) !== TAB) this.take();
      result += this.text.slice(wordStart, this.pos);
    }
    this.moveTo(from);
    return result;
  }

  /** Whether the rest is three or more of the character here, with only spaces between. */
  isThematicBreak(): boolean {
    const marker = this.code();
    // A list marker asks after each `- ` of `- - - - x`: a failure holds for all before it.
    if (marker === this.#brokenMarker && this.pos <= this.#brokenAt) return false;
    let count = 0;
    for (let at = this.pos; at < this.blankFrom; at += 1) {
      const code = this.text.charCodeAt(at);
      if (code === marker) count += 1;
      else if (!isSpace(code)) {
        this.#brokenMarker = marker;
        this.#brokenAt = at;
        return false;
      }
    }
    return count >= 3;
  }
}

export const isSpace = (code: number): boolean => code === SPACE || code === TAB;

function indexOrEnd(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? text.length : at;
}

/** After the last character that is not blank, looking back from `from` to `to`. */
export function endWithoutBlanks(text: string, from: number = text.length, to = 0): number {
  let end = from;
  while (end > to && ' \t\r\n'.includes(text[end - 1]!)) end -= 1;
  return end;
}

export function lineEndAfter(text: string, at: number): number {
  let end = at;
  while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return end;
}

export const nextLineAfter = (text: string, lineEnd: number): number =>
  Math.min(text.length, lineEnd + (text.startsWith('\r\n', lineEnd) ? 2 : 1));

/** Lines trimmed and joined by a space. */
export const onOneLine = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .join(' ');

export const withoutBlankEdges = (text: string): string =>
  text.slice(firstLineWithText(text, 0), endWithoutBlanks(text));

/** The start of the first line with text from `at` (a line's start or end) on; else the text's end. */
export function firstLineWithText(text: string, at: number): number {
  let start = at;
  let index = at;
  for (; index < text.length && ' \t\r\n'.includes(text[index]!); index += 1) {
    if (text[index] === '\n' || text[index] === '\r') start = index + 1;
  }
  return index < text.length ? start : text.length;
}
