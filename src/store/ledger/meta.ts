// Single values of the ledger by name: which room it belongs to, when it was first filled, the last heartbeat.

import type { TaskId } from '../../core/ids.ts';
import type { Database } from './database.ts';
import { integer, json, optional, type RowOf, table, text, unique } from './table.ts';

export const META = table('meta', { key: text(), value: text() });

export function createMetaTable(db: Database) {
  const meta = META.in(db);
  const set = (key: string, value: string) => meta.put({ key, value });
  /** Whether somebody ever looked at all files of the room and took in what they say. */
  // A daemon notes the time of its first look under a key of its own.
  const wasLookedAt = () => meta.first("WHERE key IN ('observed', 'looked')") !== null;
  return {
    get: (key: string): string | null => meta.get(key)?.value ?? null,
    set,
    wasLookedAt,
    setLookedAt(): void {
      if (!wasLookedAt()) set('looked', '1');
    },
  };
}

// Tokens of the API: what each may do, until when, and when it was last used. The token itself is nowhere in the ledger.

/**
 * `full`: what the person may do; `assistant`: what an agent with full access may; `readonly`: it only looks; `worker`: it
 * takes turns and reports of them, and sees nothing else.
 */
type TokenAccess = 'full' | 'assistant' | 'readonly' | 'worker';

export const TOKENS = table(
  'tokens',
  {
    id: text(),
    /** The person's own (in `.taskroom/token`), one given to a program, or a browser's session. */
    kind: text<'own' | 'given' | 'session'>(),
    name: text(),
    access: text<TokenAccess>(),
    /** The only tasks it is for; null for all. */
    tasks: optional(json<TaskId[]>()),
    /** Of a worker's: the only agents whose turns it may take; null for all. */
    agents: optional(json<string[]>()),
    createdAt: integer(),
    expiresAt: optional(integer()),
    usedAt: optional(integer()),
  },
  { apart: { hash: unique(text()) } },
);

export type TokenRow = RowOf<typeof TOKENS>;

export function createTokensTable(db: Database) {
  const tokens = TOKENS.in(db);
  return {
    add: (hash: string, row: Omit<TokenRow, 'usedAt'>): void => void tokens.insert({ ...row, hash }),
    /** By the token's hash, expired or not. */
    find: (hash: string) => tokens.first('WHERE hash = ?', hash),
    /** Oldest first. */
    list: () => tokens.all('ORDER BY created_at, id'),
    remove: tokens.delete,
    removeKind: (kind: TokenRow['kind']) => tokens.deleteAll('WHERE kind = ?', kind),
    used: (id: string, atMs: number) => tokens.update(id, { usedAt: atMs }),
    /** Removes what expired before that time. */
    prune: (beforeMs: number) => tokens.deleteAll('WHERE expires_at < ?', Math.trunc(beforeMs)),
  };
}
