// The versions of a mirrored file that both sides agreed on, by their hash, and which fields each of them had from
// where: what a file that is an earlier version of itself again would undo.
import type { Database, Row } from '../database.ts';
import { packText, unpackText } from '../writes/packed-text.ts';

/** A file that was made an earlier version of itself again by somebody else than the runtime. */
export interface Restored {
  /** The earlier version. */
  text: string;
  /** Fields whose newer value had come from upstream, and `comments`. */
  undone: readonly string[];
  /** Git wrote it, or it kept its old time: no editor made it. */
  proved: boolean;
}

export interface VersionsTable {
  /**
   * Both sides agree: with it, nothing is restored any more.
   * @param pulled fields that came from upstream with it, `pushed` those that went there, `savedAt` the file's time, ms
   */
  add(
    task: string,
    hash: string,
    change: { pulled: readonly string[]; pushed: readonly string[]; savedAt?: number | null },
  ): void;
  /** The youngest time of the file's versions, ms; null where none is known. */
  savedAt(task: string): number | null;
  /** Of a file with this hash: what had come from upstream since. Empty for a version that is the latest one, or none. */
  undone(task: string, hash: string): string[];
  setRestored(task: string, restored: Restored): void;
  restored(task: string): Restored | null;
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
    savedAt(task) {
      const row = db.prepare('SELECT max(saved_at) AS at FROM versions WHERE task = ?').get(task) as Row;
      return row.at === null ? null : Number(row.at);
    },
    add(task, hash, { pulled, pushed, savedAt = null }) {
      db.prepare('DELETE FROM restored WHERE task = ?').run(task);
      if (latest(task) === hash && pulled.length + pushed.length === 0) return;
      const sql = 'INSERT INTO versions(task, hash, pulled, pushed, saved_at) VALUES(?, ?, ?, ?, ?)';
      db.prepare(sql).run(task, hash, JSON.stringify(pulled), JSON.stringify(pushed), savedAt);
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
      return [...fields];
    },
    setRestored(task, { text, undone, proved }) {
      const sql = 'INSERT OR REPLACE INTO restored(task, text, undone, proved) VALUES(?, ?, ?, ?)';
      db.prepare(sql).run(task, packText(text), JSON.stringify(undone), Number(proved));
    },
    restored(task) {
      const row = db.prepare('SELECT * FROM restored WHERE task = ?').get(task) as Row | undefined;
      const text = unpackText(row?.text);
      if (row === undefined || text === null) return null;
      return { text, undone: JSON.parse(row.undone as string) as string[], proved: row.proved === 1 };
    },
  };
}
