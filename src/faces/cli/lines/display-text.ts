// Text as cells of a terminal: its width, cut and padded to one, and freed of what would steer the terminal.
// Wide characters (East Asian, emoji) count two cells, combining ones none.
import { stripVTControlCharacters } from 'node:util';

// Wide and full-width blocks of Unicode's EastAsianWidth.txt, the large ones; emoji are found by property.
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x20000, 0x3fffd],
];

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F/u;
const NO_WIDTH = /^[\p{Mark}\p{Cf}\p{Cc}]*$/u;
// Direction overrides and line separators reorder or break a line; joiners stay, emoji are made with them.
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
// Made when first needed: it costs more than most commands do altogether.
let segmenter: Intl.Segmenter | null = null;

function graphemesOf(text: string): Iterable<{ segment: string }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Text as one line that can't steer a terminal: escape sequences and control characters are gone. */
export function cleanLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  return stripVTControlCharacters(text)
    .replace(/[\t\r\n]+/g, ' ')
    .replace(STEERING, '');
}

/** Text of several lines that can't steer a terminal; line ends and tabs stay. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text).replace(STEERING, (found) =>
    found === '\n' || found === '\t' ? found : '',
  );
}

function widthOf(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  if (NO_WIDTH.test(grapheme)) return 0;
  const code = grapheme.codePointAt(0)!;
  return code >= 0x1100 && WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

/** Cells that a clean, uncoloured text takes. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += widthOf(segment);
  return width;
}

/** Cuts to at most `cells`, the last of them an ellipsis when something is cut; null cuts nothing. */
export function truncate(text: string, cells: number | null): string {
  if (cells === null || displayWidth(text) <= cells) return text;
  if (cells <= 0) return '';
  let result = '';
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    const next = widthOf(segment);
    if (width + next > cells - 1) break;
    result += segment;
    width += next;
  }
  return `${result}…`;
}

/** Cut and padded with spaces to exactly `cells`. */
export function fit(text: string, cells: number): string {
  const cut = truncate(text, cells);
  return cut + ' '.repeat(Math.max(0, cells - displayWidth(cut)));
}

/** `1 task`, `3 tasks`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
