// Single values of the ledger by name: which room it belongs to, when it was first filled, the last heartbeat.
import type { Database } from './database.ts';
import { table, text } from './table.ts';

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
