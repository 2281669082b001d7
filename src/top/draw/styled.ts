// Lines of exactly so many cells at most, made of coloured parts: what is cut is cut before it is coloured, so that no colour
// leaks and no wide character breaks a column. Texts of others are cleaned here, once.
import { cleanLine, displayWidth, fit, truncate } from '../../cli/lines/display-text.ts';
import { lengthOf } from '../../cli/lines/time-text.ts';
import type { Color, Paint } from '../../cli/paint.ts';

export type Part = string | readonly [text: string, ...colors: Color[]];
export type Style = { paint: Paint; columns: number };

const textOf = (part: Part): string => cleanLine(typeof part === 'string' ? part : part[0]);

/** The parts after each other, cut to the width. */
export function line({ paint, columns }: Style, ...parts: readonly Part[]): string {
  let left = columns;
  let text = '';
  for (const part of parts) {
    if (left <= 0) break;
    const shown = truncate(textOf(part), left);
    left -= displayWidth(shown);
    const colors = typeof part === 'string' ? [] : (part.slice(1) as Color[]);
    text += colors.reduce((painted, color) => paint(color, painted), shown);
  }
  return text;
}

/** The parts, and `end` at the right edge where there is room for both; else the parts alone. */
export function lineWithEnd(style: Style, parts: readonly Part[], end: readonly Part[]): string {
  const gap = style.columns - widthOf(parts) - widthOf(end);
  return gap < 1 ? line(style, ...parts) : line(style, ...parts, ' '.repeat(gap), ...end);
}

export const widthOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, part) => sum + displayWidth(textOf(part)), 0);

/** A text cut and padded to exactly so many cells. */
export const cell = (text: string, cells: number): string => fit(cleanLine(text), cells);

export function wrapWords(text: string, cells: number): string[] {
  const lines: string[] = [];
  let row = '';
  for (const word of cleanLine(text).split(' ')) {
    const longer = row === '' ? word : `${row} ${word}`;
    if (displayWidth(longer) <= cells || row === '') row = longer;
    else {
      lines.push(row);
      row = word;
    }
    for (; displayWidth(row) > cells; row = row.slice(cut(row, cells).length || 1))
      lines.push(cut(row, cells) || row.slice(0, 1));
  }
  return [...lines, row];
}

const COLOR = /(\u001b\[[0-9;:]*m)/;
const RESET = '\u001b[0m';
const TAB = 4;

/** A line of a program's output, its colours in it, as rows of at most `columns` cells. Each row begins with the colours that
 * hold there, and ends without any. */
export function wrapColored(text: string, { columns, paint }: Style): string[] {
  const withColors = paint('bold', 'x') !== 'x';
  const rows: string[] = [];
  let row = '';
  let used = 0;
  let colors = '';
  const end = () => {
    rows.push(colors === '' ? row : `${row}${RESET}`);
    row = colors;
    used = 0;
  };
  for (const piece of text.replaceAll('\t', ' '.repeat(TAB)).split(COLOR)) {
    if (COLOR.test(piece)) {
      if (!withColors) continue;
      colors = /^\u001b\[0?m$/.test(piece) ? '' : colors + piece;
      row += piece;
      continue;
    }
    for (let rest = cleanLine(piece); rest !== ''; ) {
      const fitting = cut(rest, columns - used);
      if (fitting === '' && used > 0) {
        end();
        continue;
      }
      // One that is wider than a whole row is shown as far as it goes.
      const taken = fitting === '' ? rest.slice(0, 1) : fitting;
      row += taken;
      used += displayWidth(taken);
      rest = rest.slice(taken.length);
      if (rest !== '') end();
    }
  }
  end();
  return rows;
}

/** As much of the beginning as fits. */
function cut(text: string, cells: number): string {
  if (cells <= 0) return '';
  if (displayWidth(text) <= cells) return text;
  const shorter = truncate(text, cells + 1);
  return shorter.endsWith('…') ? shorter.slice(0, -1) : shorter;
}

/** `4 s`, `3 min 20 s`, `2 h 5 min`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return seconds < 10 ? `${seconds} s` : lengthOf(seconds * 1000);
}

/** `just now`, `12 min ago`, `2 h ago`. */
export function ago(ms: number): string {
  if (ms < 60_000) return 'just now';
  return `${elapsed(ms).split(' ').slice(0, 2).join(' ')} ago`;
}
