// What files say of other tasks, as ids or names, readable from both ends: what a task waits for, and which subtasks its steps
// name.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { table, text } from '../table.ts';

const referenceTable = (name: string) =>
  table(
    name,
    { task: text<TaskId>(), ref: text() },
    { key: ['task', 'ref'], indexes: { [`${name}_by_ref`]: '(ref)' } },
  );

/** The references of `blocked_by`. */
export const BLOCKERS = referenceTable('blockers');
/** The subtasks that steps name. */
export const STEP_LINKS = referenceTable('step_links');

export function createReferencesTable(db: Database, references: typeof BLOCKERS) {
  const rows = references.in(db);
  return {
    set(task: TaskId, refs: readonly string[]): void {
      db.prepare(`DELETE FROM ${references.name} WHERE task = ?`).run(task);
      for (const ref of refs) rows.insertNew({ task, ref });
    },
    /** What a task names. */
    of: (task: string) => rows.all('WHERE task = ? ORDER BY ref', task).map(({ ref }) => ref),
    /** Tasks that name one of these. */
    holders: (refs: readonly string[]) =>
      refs.flatMap((ref) => rows.all('WHERE ref = ?', ref).map(({ task }) => task)),
  };
}
