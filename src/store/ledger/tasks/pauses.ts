// Why tasks were paused by somebody else than their person: the runtime that gave up, an agent, a checks' round. A row counts
// while its task is paused.
import type { TaskId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface Pause {
  task: TaskId;
  name: string;
  path: string;
  reason: string;
  /** Epoch ms. */
  at: number;
}

export interface PausesTable {
  set(task: TaskId, pause: Pick<Pause, 'reason' | 'at'>): void;
  clear(task: TaskId): void;
  /** Those of open tasks with a file that are paused, the oldest first. */
  list(): Pause[];
}

const LIST = `SELECT pauses.task, tasks.name, tasks.path, pauses.reason, pauses.at FROM pauses JOIN tasks ON tasks.id = pauses.task
  WHERE tasks.paused = 1 AND tasks.path IS NOT NULL AND tasks.status NOT IN ('done', 'canceled')
  ORDER BY pauses.at, pauses.task`;

export function createPausesTable(db: Database): PausesTable {
  return {
    set(task, { reason, at }) {
      const sql = `INSERT INTO pauses(task, reason, at) VALUES(?, ?, ?)
        ON CONFLICT(task) DO UPDATE SET reason = excluded.reason, at = excluded.at`;
      db.prepare(sql).run(task, reason, Math.trunc(at));
    },
    clear(task) {
      db.prepare('DELETE FROM pauses WHERE task = ?').run(task);
    },
    list: () => (db.prepare(LIST).all() as Row[]).map((row) => ({ ...row }) as unknown as Pause),
  };
}
