// Tokens of the API: what each may do, until when, and when it was last used. The token itself is nowhere in the ledger.
import type { TaskId } from '../../core/ids.ts';
import type { Database, Row } from './database.ts';

/**
 * `full`: what the person may do; `assistant`: what an agent with full access may; `readonly`: it only looks; `worker`: it
 * takes turns and reports of them, and sees nothing else.
 */
export type TokenAccess = 'full' | 'assistant' | 'readonly' | 'worker';

export interface TokenRow {
  id: string;
  /** The person's own, one given to a program, or a browser's session. */
  kind: 'own' | 'given' | 'session';
  name: string;
  access: TokenAccess;
  /** The only tasks it is for; null for all. */
  tasks: TaskId[] | null;
  /** Of a worker's: the only agents whose turns it may take; null for all. */
  agents: string[] | null;
  createdAt: number;
  expiresAt: number | null;
  usedAt: number | null;
}

export interface TokensTable {
  add(hash: string, row: Omit<TokenRow, 'usedAt'>): void;
  /** By the token's hash, expired or not. */
  find(hash: string): TokenRow | null;
  /** Oldest first. */
  list(): TokenRow[];
  remove(id: string): void;
  removeKind(kind: TokenRow['kind']): void;
  used(id: string, atMs: number): void;
  /** Removes what expired before that time. */
  prune(beforeMs: number): void;
}

const COLUMNS =
  'id, kind, name, access, tasks, agents, created_at AS createdAt, expires_at AS expiresAt, used_at AS usedAt';

export function createTokensTable(db: Database): TokensTable {
  return {
    add(hash, { id, kind, name, access, tasks, agents, createdAt, expiresAt }) {
      const sql = `INSERT INTO tokens(id, hash, kind, name, access, tasks, agents, created_at, expires_at)
        VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`;
      const [only, of] = [tasks, agents].map((list) => (list === null ? null : JSON.stringify(list)));
      db.prepare(sql).run(id, hash, kind, name, access, only!, of!, Math.trunc(createdAt), expiresAt);
    },
    find(hash) {
      const row = db.prepare(`SELECT ${COLUMNS} FROM tokens WHERE hash = ?`).get(hash) as Row | undefined;
      return row === undefined ? null : tokenOf(row);
    },
    list: () =>
      (db.prepare(`SELECT ${COLUMNS} FROM tokens ORDER BY created_at, id`).all() as Row[]).map(tokenOf),
    remove(id) {
      db.prepare('DELETE FROM tokens WHERE id = ?').run(id);
    },
    removeKind(kind) {
      db.prepare('DELETE FROM tokens WHERE kind = ?').run(kind);
    },
    used(id, atMs) {
      db.prepare('UPDATE tokens SET used_at = ? WHERE id = ?').run(Math.trunc(atMs), id);
    },
    prune(beforeMs) {
      db.prepare('DELETE FROM tokens WHERE expires_at < ?').run(Math.trunc(beforeMs));
    },
  };
}

function tokenOf(row: Row): TokenRow {
  const listOf = (text: unknown) => (text === null ? null : JSON.parse(String(text)));
  return { ...row, tasks: listOf(row.tasks), agents: listOf(row.agents) } as unknown as TokenRow;
}
