// One place of a text replaced: what of an edited text is sent where all of it would be too much.

/** `[start, end)` of the text before, in UTF-16 code units, becomes `text`. */
export interface TextEdit {
  start: number;
  end: number;
  text: string;
}

export function textEditOf(before: string, after: string): TextEdit {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < most - start && before[before.length - 1 - same] === after[after.length - 1 - same])
    same += 1;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

export function withTextEdit(before: string, { start, end, text }: TextEdit): string | null {
  if (start > end || end > before.length) return null;
  return before.slice(0, start) + text + before.slice(end);
}
