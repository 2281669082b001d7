// What agents asked for by key and got, where a file's entries can't tell: a key is taken once, in the transaction of
// what it asks for, so that a crash between doing and answering makes nothing happen twice.
import type { Database } from '../database.ts';
import { integer, table, text } from '../table.ts';

export const ASKED = table('asked', { key: text(), at: integer() });

export function createAskedTable(db: Database) {
  return {
    /** True the first time; false when what the key asks for was done already. To be called in its transaction. */
    take: (key: string, at: number) => ASKED.in(db).insertNew({ key, at }),
    prune: (beforeMs: number) => ASKED.in(db).deleteAll('WHERE at < ?', Math.trunc(beforeMs)),
  };
}
