// Subtasks that outlived a canceled parent because they are not the runtime's to cancel: each waits for the person's word.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, type RowOf, table, text } from '../table.ts';

/** Why it was left: it mirrors an issue, or its file could not be read. */
export type LeftReason = 'mirrored' | 'invalid';

export const LEFT_SUBTASKS = table('left_subtasks', {
  task: text<TaskId>(),
  parent: text<TaskId>(),
  reason: text<LeftReason>(),
  /** When its parent was canceled, epoch ms. */
  at: integer(),
});

export type LeftSubtask = RowOf<typeof LEFT_SUBTASKS>;

const LIST = `SELECT ${LEFT_SUBTASKS.columns('left_subtasks')} FROM left_subtasks JOIN tasks AS child ON child.id = left_subtasks.task JOIN tasks AS parent ON parent.id = left_subtasks.parent
  WHERE child.status NOT IN ('done', 'canceled') AND child.path IS NOT NULL AND parent.status = 'canceled'
  ORDER BY left_subtasks.at, left_subtasks.task`;

export function createLeftSubtasksTable(db: Database) {
  const left = LEFT_SUBTASKS.in(db);
  return {
    add: (row: LeftSubtask) => left.put(row),
    /** Those that are still open below a parent that is still canceled, oldest first. */
    list: () => db.prepare(LIST).all() as unknown as LeftSubtask[],
    /** The person wants it to go on as it is. */
    drop: (task: string): void => void left.delete(task),
  };
}
