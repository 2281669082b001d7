// The row under the cursor: it stays with what it stands on, wherever that goes.
import type { Row } from './rows.ts';
import type { ScreenState } from './screen-state.ts';

const canHold = ({ kind }: Row) => kind !== 'heading' && kind !== 'note';

/** The cursor stands on rows that can be chosen; a step that finds none leaves it. */
export function moved(state: ScreenState, rows: readonly Row[], by: number): ScreenState {
  const from = cursorAt(state, rows);
  const choosable = rows.flatMap((row, at) => (canHold(row) ? [at] : []));
  if (choosable.length === 0) return state;
  const now = Math.max(0, choosable.indexOf(from));
  const next = Math.abs(by) === 1 ? now + by : choosable.findLastIndex((at) => at <= from + by);
  const at = choosable[Math.min(choosable.length - 1, Math.max(0, next))]!;
  return { ...state, cursor: { ...state.cursor, [state.view]: { key: rows[at]!.key, at } } };
}

/** Where the cursor stands now: on its row wherever that went, else where that was; -1 where there is none. */
export function cursorAt({ cursor, view }: ScreenState, rows: readonly Row[]): number {
  const { key, at } = cursor[view];
  const found = key === null ? -1 : rows.findIndex((row) => row.key === key);
  if (found >= 0) return found;
  const from = Math.min(at, rows.length - 1);
  const after = rows.findIndex((row, place) => place >= from && canHold(row));
  return after >= 0 ? after : rows.findLastIndex(canHold);
}
