// Consequences that were decided and are not yet applied: recorded with what caused them, so that a crash loses none.
import type { TaskId } from '../../../core/ids.ts';
import type { Consequence } from '../../../core/rules/consequences.ts';
import type { Database, Row } from '../database.ts';

export interface PendingConsequence {
  seq: number;
  at: number;
  task: TaskId;
  consequence: Consequence;
  /** What the consequence needs besides, as JSON text. */
  payload: string;
}

export interface ConsequencesTable {
  add(task: TaskId, consequence: Consequence, payload: string, atMs: number): void;
  /** Oldest first. */
  list(): PendingConsequence[];
  has(seq: number): boolean;
  drop(seq: number): void;
}

export function createConsequencesTable(db: Database): ConsequencesTable {
  return {
    add(task, consequence, payload, atMs) {
      const sql = 'INSERT INTO consequences(at, task, kind, payload) VALUES(?, ?, ?, ?)';
      db.prepare(sql).run(atMs, task, consequence.kind, JSON.stringify({ consequence, payload }));
    },
    list() {
      const rows = db.prepare('SELECT seq, at, task, payload FROM consequences ORDER BY seq').all() as Row[];
      return rows.map((row) => ({
        seq: Number(row.seq),
        at: Number(row.at),
        task: row.task as TaskId,
        ...(JSON.parse(row.payload as string) as { consequence: Consequence; payload: string }),
      }));
    },
    has: (seq) => db.prepare('SELECT 1 FROM consequences WHERE seq = ?').get(seq) !== undefined,
    drop(seq) {
      db.prepare('DELETE FROM consequences WHERE seq = ?').run(seq);
    },
  };
}
