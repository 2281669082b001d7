// Blank space of Markdown: spaces, tabs and line ends (LF, CRLF, lone CR).

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

export function nextLineAfter(text: string, lineEnd: number): number {
  return Math.min(text.length, lineEnd + (text.startsWith('\r\n', lineEnd) ? 2 : 1));
}

/** Lines trimmed and joined by a space. */
export function onOneLine(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .join(' ');
}

export function withoutBlankEdges(text: string): string {
  return text.slice(firstLineWithText(text, 0), endWithoutBlanks(text));
}

/** The start of the first line with text from `at` (a line's start or end) on; else the text's end. */
export function firstLineWithText(text: string, at: number): number {
  let start = at;
  let index = at;
  for (; index < text.length && ' \t\r\n'.includes(text[index]!); index += 1) {
    if (text[index] === '\n' || text[index] === '\r') start = index + 1;
  }
  return index < text.length ? start : text.length;
}
