// Scopes that were made, by whom: which tasks are in one is said by their files alone. What stands here is what files
// can't say: an empty scope, and whose it is.
import type { ThreadId } from '../../../core/ids.ts';
import type { Database, Row } from '../database.ts';

export interface ScopeRow {
  name: string;
  /** `owner`, or `agent:<id>`. */
  by: string;
  /** Of the turn that made it; null outside of turns. */
  thread: ThreadId | null;
  /** Epoch ms. */
  at: number;
}

export interface ScopesTable {
  list(): ScopeRow[];
  get(name: string): ScopeRow | null;
  /** False when it is known already; then nothing changes. */
  add(row: ScopeRow): boolean;
  forget(name: string): void;
}

const SELECT = 'SELECT name, made_by AS by, thread, at FROM scopes';

export function createScopesTable(db: Database): ScopesTable {
  return {
    list: () => db.prepare(`${SELECT} ORDER BY at, name`).all() as Row[] as unknown as ScopeRow[],
    get: (name) =>
      (db.prepare(`${SELECT} WHERE name = ?`).get(name) as unknown as ScopeRow | undefined) ?? null,
    add({ name, by, thread, at }) {
      const sql = 'INSERT OR IGNORE INTO scopes(name, made_by, thread, at) VALUES(?, ?, ?, ?)';
      return db.prepare(sql).run(name, by, thread, Math.trunc(at)).changes === 1;
    },
    forget: (name) => void db.prepare('DELETE FROM scopes WHERE name = ?').run(name),
  };
}
