// Events that ask for a turn of a task (resumed, unblocked, a comment): kept until a request carries them.
import type { TaskId } from '../../../core/ids.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Database } from '../database.ts';
import { integer, table, text } from '../table.ts';

export const WAKES = table(
  'wakes',
  { task: text<TaskId>(), kind: text<Wake>(), at: integer() },
  { key: ['task', 'kind'] },
);

export function createWakesTable(db: Database) {
  const wakes = WAKES.in(db);
  return {
    /** The same kind twice is one. */
    add: (task: TaskId, kind: Wake, at: number): void => void wakes.insertNew({ task, kind, at }),
    /** Oldest first. */
    of: (task: string) => wakes.all('WHERE task = ? ORDER BY at', task).map(({ kind }) => kind),
    clear: (task: string): void => void db.prepare('DELETE FROM wakes WHERE task = ?').run(task),
  };
}
