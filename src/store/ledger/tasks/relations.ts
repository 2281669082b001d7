// How tasks stand to each other and to threads: what files say of other tasks, which turn made a task, and which subtasks
// outlived their parent.
import type { TaskId, ThreadId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, type RowOf, table, text } from '../table.ts';

const referenceTable = (name: string) =>
  table(
    name,
    { task: text<TaskId>(), ref: text() },
    { key: ['task', 'ref'], indexes: { [`${name}_by_ref`]: '(ref)' } },
  );

/** The references of `blocked_by`, as ids or names. */
export const BLOCKERS = referenceTable('blockers');
/** The subtasks that steps name. */
export const STEP_LINKS = referenceTable('step_links');

/** Which thread's turn made a task: what a turn makes for its own agent is part of its work while it runs. */
export const MAKERS = table(
  'makers',
  { task: text<TaskId>(), thread: text<ThreadId>() },
  { indexes: { makers_thread: '(thread)' } },
);

/** Subtasks that outlived a canceled parent because they are not the runtime's to cancel: each waits for the person's word. */
export const LEFT_SUBTASKS = table('left_subtasks', {
  task: text<TaskId>(),
  parent: text<TaskId>(),
  /** It mirrors an issue, or its file could not be read. */
  reason: text<'mirrored' | 'invalid'>(),
  /** When its parent was canceled, epoch ms. */
  at: integer(),
});
export type LeftSubtask = RowOf<typeof LEFT_SUBTASKS>;

const MADE = `SELECT makers.task FROM makers JOIN tasks ON tasks.id = makers.task
  WHERE makers.thread = ? AND tasks.path IS NOT NULL`;
const OPEN = `${MADE} AND tasks.status NOT IN ('done', 'canceled')`;
const LEFT = `SELECT ${LEFT_SUBTASKS.columns('left_subtasks')} FROM left_subtasks JOIN tasks AS child ON child.id = left_subtasks.task JOIN tasks AS parent ON parent.id = left_subtasks.parent
  WHERE child.status NOT IN ('done', 'canceled') AND child.path IS NOT NULL AND parent.status = 'canceled'
  ORDER BY left_subtasks.at, left_subtasks.task`;

export function createReferencesTable(db: Database, references: typeof BLOCKERS) {
  const rows = references.in(db);
  return {
    set(task: TaskId, refs: readonly string[]): void {
      rows.deleteAll('WHERE task = ?', task);
      for (const ref of refs) rows.insertNew({ task, ref });
    },
    /** What a task names. */
    of: (task: string) => rows.all('WHERE task = ? ORDER BY ref', task).map(({ ref }) => ref),
    /** Tasks that name one of these. */
    holders: (refs: readonly string[]) =>
      refs.flatMap((ref) => rows.all('WHERE ref = ?', ref).map(({ task }) => task)),
  };
}

export function createMakersTable(db: Database) {
  const makers = MAKERS.in(db);
  return {
    /** To be called before the file of the task can be seen. */
    set: (task: TaskId, thread: ThreadId) => makers.put({ task, thread }),
    /** Null for a task that no turn made. */
    of: (task: string) => makers.get(task)?.thread ?? null,
    /** The open tasks with a file that turns of a thread made. */
    openTasksOf: (thread: ThreadId) => db.column<TaskId>(OPEN, thread),
    /** The finished ones too. */
    tasksOf: (thread: ThreadId) => db.column<TaskId>(MADE, thread),
  };
}

export function createLeftSubtasksTable(db: Database) {
  return {
    ...LEFT_SUBTASKS.in(db),
    /** Those that are still open below a parent that is still canceled, oldest first. */
    list: () => db.prepare(LEFT).all() as unknown as LeftSubtask[],
  };
}
