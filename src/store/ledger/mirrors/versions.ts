// The versions of a mirrored file that both sides agreed on, by their hash, and which fields each of them had from
// where: what a file that is an earlier version of itself again would undo.
import type { Database, Row } from '../database.ts';

export interface VersionsTable {
  /** @param pulled fields that came from upstream with it, `pushed` those that went there */
  add(task: string, hash: string, change: { pulled: readonly string[]; pushed: readonly string[] }): void;
  /**
   * Of a file with this hash: fields whose newer value had come from upstream. Empty for a version that is the latest
   * one, or none.
   */
  undone(task: string, hash: string): Set<string>;
}

// An older version than so many is nobody's to restore without a look at both sides.
const KEPT = 100;

export function createVersionsTable(db: Database): VersionsTable {
  const latest = (task: string): string | null => {
    const row = db.prepare('SELECT hash FROM versions WHERE task = ? ORDER BY seq DESC LIMIT 1').get(task) as
      | Row
      | undefined;
    return row ? (row.hash as string) : null;
  };
  return {
    add(task, hash, { pulled, pushed }) {
      if (latest(task) === hash && pulled.length + pushed.length === 0) return;
      const sql = 'INSERT INTO versions(task, hash, pulled, pushed) VALUES(?, ?, ?, ?)';
      db.prepare(sql).run(task, hash, JSON.stringify(pulled), JSON.stringify(pushed));
      const old = `DELETE FROM versions WHERE task = ?1 AND seq <= (SELECT seq FROM versions WHERE task = ?1
        ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT})`;
      db.prepare(old).run(task);
    },
    undone(task, hash) {
      const sql = `SELECT pulled, pushed FROM versions WHERE task = ?1
        AND seq > (SELECT max(seq) FROM versions WHERE task = ?1 AND hash = ?2) ORDER BY seq`;
      const fields = new Set<string>();
      for (const { pulled, pushed } of db.prepare(sql).all(task, hash) as Row[]) {
        for (const field of JSON.parse(pushed as string) as string[]) fields.delete(field);
        for (const field of JSON.parse(pulled as string) as string[]) fields.add(field);
      }
      return fields;
    },
  };
}
