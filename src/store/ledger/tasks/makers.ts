// Which thread's turn made a task: what a turn makes for its own agent is part of its work while it runs.
import type { TaskId, ThreadId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { table, text } from '../table.ts';

export const MAKERS = table(
  'makers',
  { task: text<TaskId>(), thread: text<ThreadId>() },
  { indexes: { makers_thread: '(thread)' } },
);

const MADE = `SELECT makers.task FROM makers JOIN tasks ON tasks.id = makers.task
  WHERE makers.thread = ? AND tasks.path IS NOT NULL`;
const OPEN = `${MADE} AND tasks.status NOT IN ('done', 'canceled')`;

export function createMakersTable(db: Database) {
  const makers = MAKERS.in(db);
  const idsOf = (sql: string, thread: ThreadId) =>
    (db.prepare(sql).all(thread) as { task: TaskId }[]).map(({ task }) => task);
  return {
    /** To be called before the file of the task can be seen. */
    set: (task: TaskId, thread: ThreadId) => makers.put({ task, thread }),
    /** Null for a task that no turn made. */
    of: (task: string) => makers.get(task)?.thread ?? null,
    /** The open tasks with a file that turns of a thread made. */
    openTasksOf: (thread: ThreadId) => idsOf(OPEN, thread),
    /** The finished ones too. */
    tasksOf: (thread: ThreadId) => idsOf(MADE, thread),
  };
}
