// Which thread's turn made a task: what a turn makes for its own agent is part of its work while it runs.
import type { TaskId, ThreadId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface MakersTable {
  /** To be called before the file of the task can be seen. */
  set(task: TaskId, thread: ThreadId): void;
  /** Null for a task that no turn made. */
  of(task: string): ThreadId | null;
  /** The open tasks with a file that turns of a thread made. */
  openTasksOf(thread: ThreadId): TaskId[];
}

const OPEN = `SELECT makers.task FROM makers JOIN tasks ON tasks.id = makers.task
  WHERE makers.thread = ? AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled')`;

export function createMakersTable(db: Database): MakersTable {
  return {
    set: (task, thread) =>
      void db.prepare('INSERT OR REPLACE INTO makers(task, thread) VALUES(?, ?)').run(task, thread),
    of(task) {
      const row = db.prepare('SELECT thread FROM makers WHERE task = ?').get(task) as Row | undefined;
      return (row?.thread as ThreadId | undefined) ?? null;
    },
    openTasksOf: (thread) => (db.prepare(OPEN).all(thread) as Row[]).map(({ task }) => task as TaskId),
  };
}
