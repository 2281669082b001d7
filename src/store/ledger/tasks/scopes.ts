// Scopes that were made, by whom: which tasks are in one is said by their files alone. What stands here is what files
// can't say: an empty scope, and whose it is.
import type { ThreadId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { integer, optional, table, text } from '../table.ts';

export const SCOPES = table('scopes', {
  name: text(),
  /** `owner`, or `agent:<id>`. */
  by: text(),
  /** Of the turn that made it; null outside of turns. */
  thread: optional(text<ThreadId>()),
  /** Epoch ms. */
  at: integer(),
});

export function createScopesTable(db: Database) {
  const scopes = SCOPES.in(db);
  return {
    ...scopes,
    list: () => scopes.all('ORDER BY at, name'),
  };
}
