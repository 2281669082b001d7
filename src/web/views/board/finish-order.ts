// The order of the cards in the columns of what is over: the newest first, as what was finished long ago is history.
import type { TaskRow } from '../../api/shapes.ts';

/** It begins with the order it made last: thousands that stand nearly in order are sorted in a tenth of the time. */
export function createFinishOrder(): (tasks: readonly TaskRow[]) => TaskRow[] {
  let places = new Map<string, number>();
  return (tasks) => {
    const known: TaskRow[] = [];
    const fresh: TaskRow[] = [];
    for (const task of tasks) {
      const at = places.get(task.path);
      if (at === undefined) fresh.push(task);
      else known[at] = task;
    }
    // A filter passes over the places of those that left.
    const ordered = fresh.concat(known.filter(() => true)).sort(compareFinish);
    places = new Map(ordered.map(({ path }, at) => [path, at]));
    return ordered;
  };
}

function compareFinish(one: TaskRow, other: TaskRow): number {
  const a = one.finished_at ?? '';
  const b = other.finished_at ?? '';
  return a < b ? 1 : -Number(a > b);
}
