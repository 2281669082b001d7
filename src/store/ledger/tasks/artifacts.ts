// The documents in artifacts/ as they were last taken in, and the tasks that were made of plans. The id of a task stands
// here before its file is made, so that a crash between makes it once.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { flag, json, optional, type RowOf, table, text, unique } from '../table.ts';
import type { FileStamp } from './files.ts';

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
      db.prepare('UPDATE OR REPLACE artifacts SET name = ? WHERE name = ?').run(to, name);
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
