// Comment entries that were written with our own tools (`taskroom comment`, an agent): only those are sent upstream,
// text typed by hand under `## Comments` is not.
import type { Database, Row } from '../database.ts';

export interface SpokenCommentsTable {
  add(entry: string, atMs: number): void;
  /** Those of `entries` that were. */
  among(entries: readonly string[]): Set<string>;
}

export function createSpokenCommentsTable(db: Database): SpokenCommentsTable {
  return {
    add(entry, atMs) {
      db.prepare('INSERT OR IGNORE INTO spoken(entry, at) VALUES(?, ?)').run(entry, Math.trunc(atMs));
    },
    among(entries) {
      if (entries.length === 0) return new Set();
      const sql = 'SELECT entry FROM spoken WHERE entry IN (SELECT value FROM json_each(?))';
      const rows = db.prepare(sql).all(JSON.stringify(entries)) as Row[];
      return new Set(rows.map((row) => row.entry as string));
    },
  };
}
