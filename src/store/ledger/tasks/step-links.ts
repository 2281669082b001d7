// The subtasks that steps of each task name, as the files say: ids or names, readable from both ends.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface StepLinksTable {
  set(task: string, refs: readonly string[]): void;
  /** What the steps of a task name: ids or names. */
  of(task: string): string[];
  /** Tasks with a step that holds one of these references. */
  holders(refs: readonly string[]): TaskId[];
}

export function createStepLinksTable(db: Database): StepLinksTable {
  return {
    set(task, refs) {
      db.prepare('DELETE FROM step_links WHERE task = ?').run(task);
      const insert = db.prepare('INSERT OR IGNORE INTO step_links(task, ref) VALUES(?, ?)');
      for (const ref of refs) insert.run(task, ref);
    },
    of(task) {
      const rows = db.prepare('SELECT ref FROM step_links WHERE task = ? ORDER BY ref').all(task) as Row[];
      return rows.map((row) => row.ref as string);
    },
    holders(refs) {
      const find = db.prepare('SELECT task FROM step_links WHERE ref = ?');
      return refs.flatMap((ref) => (find.all(ref) as Row[]).map((row) => row.task as TaskId));
    },
  };
}
