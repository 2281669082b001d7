// Single values of the ledger by name: which room it belongs to, when it was first filled, the last heartbeat.
import type { Database, Row } from './database.ts';

export interface MetaTable {
  get(key: string): string | null;
  set(key: string, value: string): void;
}

export function createMetaTable(db: Database): MetaTable {
  return {
    get(key) {
      const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as Row | undefined;
      return row ? (row.value as string) : null;
    },
    set(key, value) {
      const sql =
        'INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value';
      db.prepare(sql).run(key, value);
    },
  };
}
