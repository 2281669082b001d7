// Events that ask for a turn of a task (resumed, unblocked, a comment): kept until a request carries them.
import type { Wake } from '../../../core/rules/decide.ts';
import type { Database, Row } from '../database.ts';

export interface WakesTable {
  /** The same kind twice is one. */
  add(task: string, kind: Wake, atMs: number): void;
  /** Oldest first. */
  of(task: string): Wake[];
  clear(task: string): void;
}

export function createWakesTable(db: Database): WakesTable {
  return {
    add(task, kind, atMs) {
      db.prepare('INSERT OR IGNORE INTO wakes(task, kind, at) VALUES(?, ?, ?)').run(task, kind, atMs);
    },
    of(task) {
      const rows = db.prepare('SELECT kind FROM wakes WHERE task = ? ORDER BY at').all(task) as Row[];
      return rows.map((row) => row.kind as Wake);
    },
    clear(task) {
      db.prepare('DELETE FROM wakes WHERE task = ?').run(task);
    },
  };
}
