// The columns that every row of a list shares: mark of the cursor, sign, name, and what else there is to say.

import type { Color } from '../../cli/paint.ts';
import type { TurnJson } from '../../tasks/shapes/turn.ts';
import { cell, line, type Part, type Style, widthOf } from './styled.ts';

export interface RowStyle extends Style {
  nowMs: number;
  /** The sign of what runs. */
  spinner: string;
  /** More than the one line that matters. */
  isRoomy: boolean;
  /** Names of tasks by id. */
  nameOf(ref: string): string;
  /** Where a turn runs that does not run here. */
  placeOf(turn: string): Part | null;
}

export const TURN_COLORS: Readonly<Record<TurnJson['state'], Color>> = {
  pending: 'yellow',
  running: 'blue',
  completed: 'green',
  failed: 'red',
  killed: 'gray',
};

/** What stands below the name of a row. */
export const INDENT = '      ';
const MAX_NAME_CELLS = 48;

/** Mark, sign, name and what else there is, in columns. */
export function columnsOf(
  sign: Part,
  name: string,
  facts: readonly Part[],
  isChosen: boolean,
  style: Style,
  color?: Color,
): string {
  const used = widthOf(facts);
  const most = Math.min(MAX_NAME_CELLS, Math.floor(style.columns * (style.columns < 60 ? 0.6 : 0.5)));
  // Where there is little to say beside it, the name has the room.
  const cells = Math.max(most, Math.min(style.columns - 6 - used, used === 0 ? style.columns - 4 : most));
  const colors: Color[] = isChosen ? ['inverse'] : color === undefined ? [] : [color];
  return line(
    style,
    [isChosen ? '› ' : '  ', 'bold'],
    sign,
    ' ',
    [cell(name, cells), ...colors],
    '  ',
    ...facts,
  );
}
