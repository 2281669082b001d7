// Single values of the ledger by name: which room it belongs to, when it was first filled, the last heartbeat. And the
// tokens of the API, by their hashes: what each may do, until when, and when it was last used.
import type { TaskId } from '../../core/ids.ts';
import { integer, json, optional, type RowOf, table, text, unique } from './table.ts';

export const META = table('meta', { key: text(), value: text() });

export const meta = META.with((rows) => {
  const set = (key: string, value: string) => rows.put({ key, value });
  /** Whether somebody ever looked at all files of the room. A daemon notes its first look under a key of its own. */
  const wasLookedAt = () => rows.has("WHERE key IN ('observed', 'looked')");
  return {
    get: (key: string): string | null => rows.get(key)?.value ?? null,
    set,
    wasLookedAt,
    setLookedAt(): void {
      if (!wasLookedAt()) set('looked', '1');
    },
  };
});

/** `full`: as the person; `assistant`: as an agent with full access; `readonly`: looks; `worker`: takes turns, sees nothing else. */
type TokenAccess = 'full' | 'assistant' | 'readonly' | 'worker';

export const TOKENS = table(
  'tokens',
  {
    id: text(),
    /** The person's own (in `.taskroom/token`), one given to a program, or a browser's session. */
    kind: text<'own' | 'given' | 'session'>(),
    name: text(),
    access: text<TokenAccess>(),
    tasks: optional(json<TaskId[]>()), // The only tasks it is for; null for all.
    /** Of a worker's: the only agents whose turns it may take; null for all. */
    agents: optional(json<string[]>()),
    createdAt: integer(),
    expiresAt: optional(integer()),
    usedAt: optional(integer()),
  },
  { order: 'created_at, id', apart: { hash: unique(text()) } },
);

export type TokenRow = RowOf<typeof TOKENS>;

export const tokens = TOKENS.with((rows) => ({ find: (hash: string) => rows.first({ hash }) }));
