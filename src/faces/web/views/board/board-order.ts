// The order of the board's columns.
import type { Status } from '../../api/shapes.ts';

export const COLUMNS: readonly Status[] = ['draft', 'todo', 'doing', 'done', 'canceled'];

/** The status beside one; null at an end. */
export function besideStatus(status: Status, by: 1 | -1): Status | null {
  return COLUMNS[COLUMNS.indexOf(status) + by] ?? null;
}
