// How tasks stand to each other and to threads: what files say of other tasks, which turn made a task, and which subtasks
// outlived their parent.
import type { TaskId, ThreadId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { flag, integer, json, optional, type RowOf, table, text, unique } from '../table.ts';
import type { FileStamp } from './files.ts';

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
    list: () => db.rows<LeftSubtask>(LEFT),
  };
}

// The documents in artifacts/ as they were last taken in, and the tasks that were made of plans. The id of a task stands
// here before its file is made, so that a crash between makes it once.

export const ARTIFACTS = table('artifacts', {
  name: text(),
  /** What it is by, whatever it is called: random, kept when its file is renamed. */
  uid: unique(text()),
  /** Of the file when all of it was taken in; null while something is left to do. */
  stamp: optional(json<FileStamp>()),
  /** Who made the plan final: `owner` or `agent:<id>`; null while nobody did. */
  finalBy: optional(text()),
  /** Why no tasks could be made of it; null when nothing is wrong. */
  problem: optional(text()),
});

export type ArtifactRow = RowOf<typeof ARTIFACTS>;

/** Tasks that were made of plans: a row stands before its file is made. */
export const PLAN_TASKS = table(
  'plan_tasks',
  { uid: text(), step: text(), task: text<TaskId>(), /** Its file was made. */ made: flag() },
  { key: ['uid', 'step'] },
);

export function createArtifactsTable(db: Database) {
  const artifacts = ARTIFACTS.in(db);
  const planTasks = PLAN_TASKS.in(db);
  return {
    get: (name: string) => artifacts.get(name),
    list: () => artifacts.all('ORDER BY name'),
    put(row: ArtifactRow): void {
      // Another name may hold this uid: its row gives way.
      artifacts.deleteAll('WHERE uid = ? AND name <> ?', row.uid, row.name);
      artifacts.put(row);
    },
    rename(name: string, to: string): void {
      db.run('UPDATE OR REPLACE artifacts SET name = ? WHERE name = ?', to, name);
    },
    /** Forgets it with what is known of its tasks. */
    forget(name: string): void {
      db.transaction(() => {
        planTasks.deleteAll('WHERE uid = (SELECT uid FROM artifacts WHERE name = ?)', name);
        artifacts.delete(name);
      });
    },
    /** The task of a step; null while none was intended. */
    taskOf: (uid: string, step: string) => planTasks.get(uid, step),
    /** Keeps the id for a step; one that was kept before stays. Returns the one that counts. */
    intend(uid: string, step: string, task: TaskId): TaskId {
      planTasks.insertNew({ uid, step, task, made: false });
      return planTasks.get(uid, step)!.task;
    },
    setMade: (uid: string, step: string): void => void planTasks.update([uid, step], { made: true }),
    /** All tasks that were made of it. */
    tasksOf: (uid: string) => planTasks.all('WHERE uid = ? AND made = 1', uid).map(({ task }) => task),
  };
}

// Scopes that were made, by whom: which tasks are in one is said by their files alone. What stands here is what files
// can't say: an empty scope, and whose it is.

export const SCOPES = table('scopes', {
  name: text(),
  /** `owner`, or `agent:<id>`. */
  by: text(),
  /** Of the turn that made it; null outside of turns. */
  thread: optional(text<ThreadId>()),
  /** Epoch ms. */
  at: integer(),
});

export function createScopesTable(db: Database) {
  const scopes = SCOPES.in(db);
  return {
    ...scopes,
    list: () => scopes.all('ORDER BY at, name'),
  };
}
