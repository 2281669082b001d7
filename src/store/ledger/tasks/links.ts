// How tasks stand to each other and to threads: what files say of other tasks, which turn made a task, which subtasks
// outlived their parent; and what plans and scopes made of them. Times are epoch ms.
import type { TaskId, ThreadId } from '../../../core/ids.ts';
import { flag, integer, json, optional, type RowOf, table, text, unique } from '../table.ts';
import type { FileStamp } from './files.ts';

const referenceTable = (name: string) =>
  table(
    name,
    { task: text<TaskId>(), ref: text() },
    { key: ['task', 'ref'], order: 'task, ref', indexes: { [`${name}_by_ref`]: '(ref)' } },
  );

/** The references of `blocked_by`, as ids or names. */
export const BLOCKERS = referenceTable('blockers');
export const STEP_LINKS = referenceTable('step_links');

const referencesIn = (references: typeof BLOCKERS) =>
  references.with((rows) => ({
    /** Few tasks have any: one that has none costs a look, not a write. */
    set(task: TaskId, refs: readonly string[], isNew: boolean): void {
      if (refs.length === 0 && (isNew || !rows.has({ task }))) return;
      rows.deleteAll({ task });
      for (const ref of refs) rows.insertNew({ task, ref });
    },
    of: (task: TaskId) => rows.all({ task }).map(({ ref }) => ref),
    // A list in one query costs SQLite more than a query for each of the two or three names that a task has.
    holders: (refs: readonly string[]) => refs.flatMap((ref) => rows.all({ ref }).map(({ task }) => task)),
  }));

export const blockers = referencesIn(BLOCKERS);
export const stepLinks = referencesIn(STEP_LINKS);

/** Which thread's turn made a task, part of its work while it runs. Written before the file of the task can be seen. */
export const MAKERS = table(
  'makers',
  { task: text<TaskId>(), thread: text<ThreadId>() },
  { indexes: { makers_thread: '(thread)' } },
);

const MADE = `SELECT makers.task FROM makers JOIN tasks ON tasks.id = makers.task
  WHERE makers.thread = ? AND tasks.path IS NOT NULL`;

const ABOVE = `WITH RECURSIVE above(thread) AS (SELECT thread FROM makers WHERE task = ?
  UNION SELECT makers.thread FROM above JOIN makers ON makers.task = substr(above.thread, length('task:local:') + 1))
  SELECT thread FROM above`;
const BELOW = `WITH RECURSIVE below(task) AS (SELECT task FROM makers WHERE thread = ?1
  UNION SELECT makers.task FROM below JOIN makers ON makers.thread = 'task:local:' || below.task)
  SELECT count(*) FROM below JOIN tasks ON tasks.id = below.task WHERE tasks.seen_at >= ?2`;

export const makers = MAKERS.with((_rows, db) => ({
  /** The thread that no turn made, whose turns made the task or what made it; null for a task that no turn made. */
  firstMaker: (task: TaskId): ThreadId | null => db.column<ThreadId>(ABOVE, task).at(-1) ?? null,
  /** How many tasks the thread's turns made, and the turns of those, that were seen first since then. */
  countBelow: (thread: ThreadId, sinceMs: number) => db.column<number>(BELOW, thread, sinceMs)[0]!,
  openTasksOf: (thread: ThreadId) =>
    db.column<TaskId>(`${MADE} AND tasks.status NOT IN ('done', 'canceled')`, thread),
  tasksOf: (thread: ThreadId) => db.column<TaskId>(MADE, thread), // The finished ones too.
}));

/** Subtasks that outlived a canceled parent because they are not the runtime's to cancel: each waits for the person's word. */
export const LEFT_SUBTASKS = table('left_subtasks', {
  task: text<TaskId>(),
  parent: text<TaskId>(),
  reason: text<'mirrored' | 'invalid'>(), // It mirrors an issue, or its file could not be read.
  at: integer(),
});
export type UnresolvedChild = RowOf<typeof LEFT_SUBTASKS>;

const UNRESOLVED = `SELECT ${LEFT_SUBTASKS.columns('left_subtasks')} FROM left_subtasks JOIN tasks AS child ON child.id = left_subtasks.task JOIN tasks AS parent ON parent.id = left_subtasks.parent
  WHERE child.status NOT IN ('done', 'canceled') AND child.path IS NOT NULL AND parent.status = 'canceled'
  ORDER BY left_subtasks.at, left_subtasks.task`;

export const unresolvedChildren = LEFT_SUBTASKS.with((_rows, db) => ({
  /** Those that are still open below a parent that is still canceled, oldest first. */
  list: () => db.rows<UnresolvedChild>(UNRESOLVED),
}));

/** The documents in artifacts/ as they were last taken in. */
export const ARTIFACTS = table(
  'artifacts',
  {
    name: text(),
    uid: unique(text()), // Random, kept when its file is renamed.
    /** Of the file when all of it was taken in; null while something is left to do. */
    stamp: optional(json<FileStamp>()),
    finalBy: optional(text()), // Who made the plan final: `owner` or `agent:<id>`; null while nobody did.
    problem: optional(text()), // Why no tasks could be made of it; null when nothing is wrong.
  },
  { order: 'name' },
);

export type ArtifactRow = RowOf<typeof ARTIFACTS>;

/** Tasks that were made of plans: a row with the task's id stands before its file is made, so that a crash makes it once. */
export const PLAN_TASKS = table(
  'plan_tasks',
  { uid: text(), step: text(), task: text<TaskId>(), /** Its file was made. */ made: flag() },
  { key: ['uid', 'step'] },
);

export const artifacts = ARTIFACTS.with((rows, db) => {
  const planTasks = PLAN_TASKS.in(db);
  return {
    put(row: ArtifactRow): void {
      // Another name may hold this uid: its row gives way.
      rows.deleteAll('WHERE uid = ? AND name <> ?', row.uid, row.name);
      rows.put(row);
    },
    rename: (name: string, to: string) =>
      db.run('UPDATE OR REPLACE artifacts SET name = ? WHERE name = ?', to, name),
    /** Forgets it with what is known of its tasks. */
    forget: (name: string) =>
      db.transaction(() => {
        planTasks.deleteAll('WHERE uid = (SELECT uid FROM artifacts WHERE name = ?)', name);
        rows.delete(name);
      }),
    taskOf: (uid: string, step: string) => planTasks.get(uid, step),
    /** Keeps the id for a step; one that was kept before stays. Returns the one that counts. */
    intend(uid: string, step: string, task: TaskId): TaskId {
      planTasks.insertNew({ uid, step, task, made: false });
      return planTasks.get(uid, step)!.task;
    },
    setMade: (uid: string, step: string) => planTasks.update([uid, step], { made: true }),
    tasksOf: (uid: string) => planTasks.all({ uid, made: true }).map(({ task }) => task),
  };
});

/** What files can't say of a scope: that there is an empty one, and whose it is. */
export const SCOPES = table(
  'scopes',
  {
    name: text(),
    by: text(), // `owner`, or `agent:<id>`.
    thread: optional(text<ThreadId>()), // Of the turn that made it; null outside of turns.
    at: integer(),
  },
  { order: 'at, name' },
);

export const scopes = SCOPES.with();
