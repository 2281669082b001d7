// Single values of the ledger by name: which room it belongs to, when it was first filled, the last heartbeat.
import type { Database, Row } from './database.ts';

export interface MetaTable {
  get(key: string): string | null;
  set(key: string, value: string): void;
  /** Whether somebody ever looked at all files of the room and took in what they say. */
  wasLookedAt(): boolean;
  setLookedAt(): void;
}

export function createMetaTable(db: Database): MetaTable {
  const set = (key: string, value: string): void => {
    const sql =
      'INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value';
    db.prepare(sql).run(key, value);
  };
  // A daemon notes the time of its first look under a key of its own.
  const wasLookedAt = (): boolean =>
    db.prepare("SELECT 1 FROM meta WHERE key IN ('observed', 'looked')").get() !== undefined;
  return {
    get(key) {
      const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as Row | undefined;
      return row ? (row.value as string) : null;
    },
    set,
    wasLookedAt,
    setLookedAt() {
      if (!wasLookedAt()) set('looked', '1');
    },
  };
}
