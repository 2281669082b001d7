// Where the link definitions at the start of a paragraph end: what follows `[a]: /url "title"` lines is the paragraph.
// Matters to block structure only because a line under nothing but definitions is no setext underline.

const MAX_LABEL = 999;

// Sticky, and without two ways to match one text, so that each takes time in proportion to what it passes.
const LABEL = /\[((?:[^[\]\\]|\\[[\]\\]|\\(?![[\]\\])){1,1999})\]:[ \n]*/y;
const ENCLOSED = /<(?:[^<>\n\\]|\\[<>\\]|\\(?![<>\\]))*>/y;
const TITLE =
  /[ \n]+(?:"(?:[^"\\]|\\["\\]|\\(?!["\\]))*"|'(?:[^'\\]|\\['\\]|\\(?!['\\]))*'|\((?:[^)\\]|\\[)\\]|\\(?![)\\]))*\)) *(?=\n|$)/y;
const REST_OF_LINE = / *(?=\n|$)/y;
const SPACES = / */y;

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

/** The index after what matches at `at`; -1 where nothing does. */
function endOf(what: RegExp, text: string, at: number): number {
  what.lastIndex = at;
  return what.test(text) ? what.lastIndex : -1;
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
