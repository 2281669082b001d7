// Edits of a text as spans: all that is outside every span stays byte for byte.

/** Replaces `text.slice(start, end)` of the original text by `insert`. */
export type Edit = { start: number; end: number; insert: string };

export const shifted = (edits: readonly Edit[], offset: number): Edit[] =>
  edits.map(({ start, end, insert }) => ({ start: start + offset, end: end + offset, insert }));

/** Applies edits whose spans do not overlap; their order does not matter. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const edit of sorted) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length)
      throw new Error(`edits overlap or leave the text: ${edit.start}..${edit.end}`);
    result += text.slice(at, edit.start) + edit.insert;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** The line end of the first line, `\n` when there is none. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n');
  return at > 0 && text[at - 1] === '\r' ? '\r\n' : '\n';
}

/** Line and column of an offset, both from 1, columns in UTF-16 units. */
export function placeOf(text: string, offset: number): { line: number; col: number } {
  const end = Math.max(0, Math.min(offset, text.length));
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, col: end - lineStart + 1 };
}

/** How many items two lists or texts share at their start, and how many of the others at their end. */
export function sharedEnds<T>(a: ArrayLike<T>, b: ArrayLike<T>): { head: number; tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return { head, tail };
}

/** `[start, end)` of the text before, in UTF-16 code units, becomes `text`. */
export type TextEdit = { start: number; end: number; text: string };

export function textEditOf(before: string, after: string): TextEdit {
  const { head, tail } = sharedEnds(before, after);
  return { start: head, end: before.length - tail, text: after.slice(head, after.length - tail) };
}

export const withTextEdit = (before: string, { start, end, text }: TextEdit): string | null =>
  start > end || end > before.length ? null : before.slice(0, start) + text + before.slice(end);
