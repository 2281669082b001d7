// The documents in artifacts/ as they were last taken in, and the tasks that were made of plans. The id of a task stands
// here before its file is made, so that a crash between makes it once.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { flag, optional, type RowOf, real, table, text, unique } from '../table.ts';
import type { FileStamp } from './files.ts';

export interface ArtifactRow {
  name: string;
  /** What it is by, whatever it is called: random, kept when its file is renamed. */
  uid: string;
  /** Of the file when all of it was taken in; null while something is left to do. */
  stamp: FileStamp | null;
  /** Who made the plan final: `owner` or `agent:<id>`; null while nobody did. */
  finalBy: string | null;
  /** Why no tasks could be made of it; null when nothing is wrong. */
  problem: string | null;
}

export interface PlanTask {
  task: TaskId;
  /** Its file was made. */
  made: boolean;
}

export const ARTIFACTS = table('artifacts', {
  name: text(),
  uid: unique(text()),
  size: optional(real()),
  mtimeMs: optional(real()),
  ctimeMs: optional(real()),
  ino: optional(real()),
  finalBy: optional(text()),
  problem: optional(text()),
});

/** Tasks that were made of plans: a row stands before its file is made. */
export const PLAN_TASKS = table(
  'plan_tasks',
  { uid: text(), step: text(), task: text<TaskId>(), made: flag() },
  { key: ['uid', 'step'] },
);

function artifactOf({
  name,
  uid,
  size,
  mtimeMs,
  ctimeMs,
  ino,
  finalBy,
  problem,
}: RowOf<typeof ARTIFACTS>): ArtifactRow {
  const stamp = size === null ? null : { size, mtimeMs: mtimeMs!, ctimeMs: ctimeMs!, ino: ino! };
  return { name, uid, stamp, finalBy, problem };
}

export function createArtifactsTable(db: Database) {
  const artifacts = ARTIFACTS.in(db);
  const planTasks = PLAN_TASKS.in(db);
  return {
    list: () => artifacts.all('ORDER BY name').map(artifactOf),
    get(name: string): ArtifactRow | null {
      const row = artifacts.get(name);
      return row && artifactOf(row);
    },
    put({ stamp, ...row }: ArtifactRow): void {
      // Another name may hold this uid: its row gives way.
      db.prepare('DELETE FROM artifacts WHERE uid = ? AND name <> ?').run(row.uid, row.name);
      artifacts.put({ ...row, ...(stamp ?? { size: null, mtimeMs: null, ctimeMs: null, ino: null }) });
    },
    rename(name: string, to: string): void {
      db.prepare('UPDATE OR REPLACE artifacts SET name = ? WHERE name = ?').run(to, name);
    },
    /** Forgets it with what is known of its tasks. */
    forget(name: string): void {
      db.transaction(() => {
        db.prepare('DELETE FROM plan_tasks WHERE uid = (SELECT uid FROM artifacts WHERE name = ?)').run(name);
        artifacts.delete(name);
      });
    },
    /** The task of a step; null while none was intended. */
    taskOf: (uid: string, step: string): PlanTask | null => planTasks.get(uid, step),
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
