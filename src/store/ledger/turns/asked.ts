// What agents asked for by key and got, where a file's entries can't tell: a key is taken once, in the transaction of
// what it asks for, so that a crash between doing and answering makes nothing happen twice.
import type { Database } from '../database.ts';

export interface AskedTable {
  /** True the first time; false when what the key asks for was done already. To be called in its transaction. */
  take(key: string, atMs: number): boolean;
  prune(beforeMs: number): void;
}

export function createAskedTable(db: Database): AskedTable {
  return {
    take(key, atMs) {
      const sql = 'INSERT INTO asked(key, at) VALUES(?, ?) ON CONFLICT DO NOTHING';
      return Number(db.prepare(sql).run(key, Math.trunc(atMs)).changes) > 0;
    },
    prune(beforeMs) {
      db.prepare('DELETE FROM asked WHERE at < ?').run(Math.trunc(beforeMs));
    },
  };
}
