// Subtasks that outlived a canceled parent because they are not the runtime's to cancel: each waits for the person's word.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

/** Why it was left: it mirrors an issue, or its file could not be read. */
export type LeftReason = 'mirrored' | 'invalid';

export interface LeftSubtask {
  task: TaskId;
  parent: TaskId;
  reason: LeftReason;
  /** When its parent was canceled, epoch ms. */
  at: number;
}

export interface LeftSubtasksTable {
  add(left: LeftSubtask): void;
  /** Those that are still open below a parent that is still canceled, oldest first. */
  list(): LeftSubtask[];
  /** The person wants it to go on as it is. */
  drop(task: string): void;
}

const LIST = `SELECT left_subtasks.task, left_subtasks.parent, left_subtasks.reason, left_subtasks.at FROM left_subtasks
  JOIN tasks AS child ON child.id = left_subtasks.task JOIN tasks AS parent ON parent.id = left_subtasks.parent
  WHERE child.status NOT IN ('done', 'canceled') AND child.path IS NOT NULL AND parent.status = 'canceled'
  ORDER BY left_subtasks.at, left_subtasks.task`;

export function createLeftSubtasksTable(db: Database): LeftSubtasksTable {
  return {
    add({ task, parent, reason, at }) {
      const sql = `INSERT INTO left_subtasks(task, parent, reason, at) VALUES(?, ?, ?, ?)
        ON CONFLICT(task) DO UPDATE SET parent = excluded.parent, reason = excluded.reason, at = excluded.at`;
      db.prepare(sql).run(task, parent, reason, at);
    },
    list: () => (db.prepare(LIST).all() as Row[]).map((row) => ({ ...row }) as unknown as LeftSubtask),
    drop(task) {
      db.prepare('DELETE FROM left_subtasks WHERE task = ?').run(task);
    },
  };
}
