// Where the link definitions at the start of a paragraph end: what follows `[a]: /url "title"` lines is the paragraph.
// Matters to block structure only because a line under nothing but definitions is no setext underline.

const MAX_LABEL = 999;

/**
 * The index in `text` at which the paragraph starts after all definitions before it; `text.length` when there
 * is nothing but definitions. `text` has `\n` line ends, no blank lines and tabs written as spaces.
 */
export function skipDefinitions(text: string): number {
  let at = 0;
  while (text[at] === '[') {
    const end = definitionEnd(text, at);
    if (end < 0) return at;
    if (end >= text.length) return text.length;
    at = skip(text, end + 1, SPACES);
  }
  return at;
}

// Sticky so that each looks at its own place; none can pass a character twice.
const SPACES = / */y;
const WHITESPACE = /[ \n]*/y;

function skip(text: string, at: number, what: RegExp): number {
  what.lastIndex = at;
  return what.test(text) ? what.lastIndex : at;
}

function definitionEnd(text: string, at: number): number {
  const label = labelEnd(text, at);
  if (label < 0 || text[label] !== ':') return -1;
  const from = skip(text, label + 1, WHITESPACE);
  const destination = text[from] === '<' ? enclosedEnd(text, from) : rawEnd(text, from);
  if (destination < 0) return -1;
  const title = titleEnd(text, destination);
  if (title >= 0) return title;
  const end = skip(text, destination, SPACES);
  return isLineEnd(text, end) ? end : -1;
}

function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === '\n';
}

function labelEnd(text: string, at: number): number {
  let size = 0;
  let seen = false;
  let index = at + 1;
  for (;;) {
    const char = text[index];
    const breaks = char === undefined || char === '[' || char === ']' || char === '\n';
    if (breaks || size > MAX_LABEL) {
      if (size > MAX_LABEL || char === undefined || char === '[') return -1;
      if (char === ']') return seen ? index + 1 : -1;
    } else {
      size += 1;
      if (char !== ' ') seen = true;
      if (char === '\\' && /[[\]\\]/.test(text[index + 1] ?? '')) {
        index += 1;
        size += 1;
      }
    }
    index += 1;
  }
}

function enclosedEnd(text: string, at: number): number {
  for (let index = at + 1; index < text.length; index += 1) {
    const char = text[index]!;
    if (char === '>') return index + 1;
    if (char === '<' || char === '\n') return -1;
    if (char === '\\' && /[<>\\]/.test(text[index + 1] ?? '')) index += 1;
  }
  return -1;
}

/** After a destination without angle brackets: balanced parentheses, no spaces or control characters; or -1. */
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

/** End of the line of the title after a destination, or -1 when none stands there. */
function titleEnd(text: string, at: number): number {
  const from = skip(text, at, WHITESPACE);
  if (from === at) return -1;
  const closed = quotedEnd(text, from);
  if (closed < 0) return -1;
  const end = skip(text, closed, SPACES);
  return isLineEnd(text, end) ? end : -1;
}

/** After the closing quote of the title whose opening one may stand at `at`, or -1. */
function quotedEnd(text: string, at: number): number {
  const opener = text[at];
  if (opener !== '"' && opener !== "'" && opener !== '(') return -1;
  const closer = opener === '(' ? ')' : opener;
  for (let index = at + 1; index < text.length; index += 1) {
    const char = text[index];
    if (char === closer) return index + 1;
    if (char === '\\' && (text[index + 1] === closer || text[index + 1] === '\\')) index += 1;
  }
  return -1;
}
