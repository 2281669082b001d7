// Comment entries that were written with our own tools (`taskroom comment`, an agent): only those are sent upstream,
// text typed by hand under `## Comments` is not.
import type { Database } from '../database.ts';
import { integer, table, text } from '../table.ts';

export const SPOKEN = table('spoken', { entry: text(), at: integer() });

export function createSpokenCommentsTable(db: Database) {
  const spoken = SPOKEN.in(db);
  return {
    add: (entry: string, at: number): void => void spoken.insertNew({ entry, at }),
    /** Those of `entries` that were. */
    among(entries: readonly string[]): Set<string> {
      if (entries.length === 0) return new Set();
      const rows = spoken.all('WHERE entry IN (SELECT value FROM json_each(?))', JSON.stringify(entries));
      return new Set(rows.map(({ entry }) => entry));
    },
  };
}
