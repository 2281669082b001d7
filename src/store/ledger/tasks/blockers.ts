// What each task waits for: the references of its `blocked_by`, as ids and names, readable from both ends.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface BlockersTable {
  set(task: string, refs: readonly string[]): void;
  /** What a task waits for: ids or names. */
  of(task: string): string[];
  /** Tasks whose `blocked_by` holds one of these references. */
  dependents(refs: readonly string[]): TaskId[];
}

export function createBlockersTable(db: Database): BlockersTable {
  return {
    set(task, refs) {
      db.prepare('DELETE FROM blockers WHERE task = ?').run(task);
      const insert = db.prepare('INSERT OR IGNORE INTO blockers(task, ref) VALUES(?, ?)');
      for (const ref of refs) insert.run(task, ref);
    },
    of(task) {
      const rows = db.prepare('SELECT ref FROM blockers WHERE task = ? ORDER BY ref').all(task) as Row[];
      return rows.map((row) => row.ref as string);
    },
    dependents(refs) {
      const find = db.prepare('SELECT task FROM blockers WHERE ref = ?');
      return refs.flatMap((ref) => (find.all(ref) as Row[]).map((row) => row.task as TaskId));
    },
  };
}
