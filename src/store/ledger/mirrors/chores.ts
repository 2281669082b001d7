// What the runtime remembers of each chore: when it ran last and how that ended. Rows outlive their files, so that a
// chore that is back after a branch switch knows when it last ran.
import type { Database } from '../database.ts';
import { initially, integer, json, optional, type RowOf, table, text } from '../table.ts';

/** How a run ended. */
export interface ChoreRecord {
  ok: boolean;
  /** One line for a person. */
  message: string;
  /** The turn of a prompt. */
  turn?: string;
  /** What a sync counted, by name. */
  counts?: Readonly<Record<string, number>>;
}

/** Times are epoch ms. */
export const CHORES = table('chores', {
  name: text(),
  /** When it was first seen: what a schedule counts from that never ran. */
  seenAt: integer(),
  /** Hash of the file the failures belong to. */
  revision: text(),
  /** Start of the last run, null when it never ran. */
  startedAt: optional(integer()),
  /** End of the last run; null while it runs, or when the runtime died during it. */
  endedAt: optional(integer()),
  /** How it ended; null when it never did. */
  result: optional(json<ChoreRecord>()),
  /** Failed runs in a row. */
  failures: initially(integer(), 0),
  /** Not before this, after a failure. */
  retryAt: optional(integer()),
  /** Why it stands still until a person looks at it. */
  stopped: optional(text()),
  /** A person asked for a run that did not start. */
  askedAt: optional(integer()),
});

export type ChoreMemory = RowOf<typeof CHORES>;
export type ChoreChange = Partial<Omit<ChoreMemory, 'name'>>;

export function createChoresTable(db: Database) {
  const chores = CHORES.in(db);
  return {
    ...chores,
    list: () => chores.all('ORDER BY name'),
  };
}
