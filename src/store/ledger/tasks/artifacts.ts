// The documents in artifacts/ as they were last taken in, and the tasks that were made of plans. The id of a task stands
// here before its file is made, so that a crash between makes it once.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';
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

export interface ArtifactsTable {
  list(): ArtifactRow[];
  get(name: string): ArtifactRow | null;
  put(row: ArtifactRow): void;
  rename(name: string, to: string): void;
  /** Forgets it with what is known of its tasks. */
  forget(name: string): void;
  /** The task of a step; null while none was intended. */
  taskOf(uid: string, step: string): PlanTask | null;
  /** Keeps the id for a step; one that was kept before stays. Returns the one that counts. */
  intend(uid: string, step: string, task: TaskId): TaskId;
  setMade(uid: string, step: string): void;
  /** All tasks that were made of it. */
  tasksOf(uid: string): TaskId[];
}

const STAMP = 'size, mtime, ctime, ino';

function rowOf(row: Row): ArtifactRow {
  const stamp =
    row.size === null
      ? null
      : {
          size: Number(row.size),
          mtimeMs: Number(row.mtime),
          ctimeMs: Number(row.ctime),
          ino: Number(row.ino),
        };
  const { name, uid, final_by: finalBy, problem } = row;
  return { name, uid, stamp, finalBy, problem } as ArtifactRow;
}

export function createArtifactsTable(db: Database): ArtifactsTable {
  const one = (sql: string, ...values: string[]) => db.prepare(sql).get(...values) as Row | undefined;
  return {
    list: () => (db.prepare('SELECT * FROM artifacts ORDER BY name').all() as Row[]).map(rowOf),
    get(name) {
      const row = one('SELECT * FROM artifacts WHERE name = ?', name);
      return row ? rowOf(row) : null;
    },
    put({ name, uid, stamp, finalBy, problem }) {
      const times =
        stamp === null ? [null, null, null, null] : [stamp.size, stamp.mtimeMs, stamp.ctimeMs, stamp.ino];
      db.prepare(
        `INSERT OR REPLACE INTO artifacts(name, uid, ${STAMP}, final_by, problem) VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(name, uid, ...times, finalBy, problem);
    },
    rename(name, to) {
      db.prepare('UPDATE OR REPLACE artifacts SET name = ? WHERE name = ?').run(to, name);
    },
    forget(name) {
      db.transaction(() => {
        db.prepare('DELETE FROM plan_tasks WHERE uid = (SELECT uid FROM artifacts WHERE name = ?)').run(name);
        db.prepare('DELETE FROM artifacts WHERE name = ?').run(name);
      });
    },
    taskOf(uid, step) {
      const row = one('SELECT task, made FROM plan_tasks WHERE uid = ? AND step = ?', uid, step);
      return row === undefined ? null : { task: row.task as TaskId, made: row.made === 1 };
    },
    intend(uid, step, task) {
      db.prepare('INSERT OR IGNORE INTO plan_tasks(uid, step, task, made) VALUES(?, ?, ?, 0)').run(
        uid,
        step,
        task,
      );
      return one('SELECT task FROM plan_tasks WHERE uid = ? AND step = ?', uid, step)!.task as TaskId;
    },
    setMade(uid, step) {
      db.prepare('UPDATE plan_tasks SET made = 1 WHERE uid = ? AND step = ?').run(uid, step);
    },
    tasksOf: (uid) =>
      (db.prepare('SELECT task FROM plan_tasks WHERE uid = ? AND made = 1').all(uid) as Row[]).map(
        ({ task }) => task as TaskId,
      ),
  };
}
