// A row of a view: cells of fixed width, then a text that is cut at the edge of the terminal.
import type { Finding } from '../../tasks/task-room.ts';
import type { Color, Paint } from '../paint.ts';
import { cleanLine, displayWidth, fit, truncate } from './display-text.ts';
import { FINDING_SIGNS, type Sign } from './glyphs.ts';

export interface ViewStyle {
  paint: Paint;
  columns: number | null; // Width to keep to; null cuts nothing.
  nowMs: number; // Epoch ms.
}

/** A sign, or a text that is cut and padded to so many cells. */
type Cell = Sign | readonly [text: string, cells: number, color?: Color];

/** @param rest clean already */
export function row({ paint, columns }: ViewStyle, cells: readonly Cell[], rest = ''): string {
  let used = 2;
  const shown = cells.map(([text, second, third]) => {
    const isSign = typeof second === 'string';
    const fitted = isSign ? text : fit(cleanLine(text), second);
    const color = isSign ? (second as Color) : third;
    const gap = isSign ? ' ' : '  ';
    used += displayWidth(fitted) + gap.length;
    return `${color === undefined ? fitted : paint(color, fitted)}${gap}`;
  });
  return `  ${shown.join('')}${truncate(rest, columns === null ? null : columns - used)}`.trimEnd();
}

/** The rows of a list, or what is said where it is empty. */
export function rowsOr<Item>(
  items: readonly Item[],
  { paint }: ViewStyle,
  none: string,
  linesOf: (item: Item) => string | readonly string[],
): string[] {
  return items.length === 0 ? [paint('dim', none)] : items.flatMap(linesOf);
}

/** A finding, and below it what mends it. */
export function findingLines(name: string, cells: number, found: Omit<Finding, 'name'>, paint: Paint) {
  const { state, text, hint } = found;
  const [glyph, color] = FINDING_SIGNS[state];
  const head = `${paint(color, glyph)} ${fit(cleanLine(name), cells)} ${cleanLine(text)}`;
  return hint === null ? [head] : [head, paint('dim', `${' '.repeat(cells + 3)}${cleanLine(hint)}`)];
}
