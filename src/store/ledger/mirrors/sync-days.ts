// How often each chore synced on each day, and how many requests that took; days begin at midnight UTC. Loaded by what
// counts and what shows it alone.
import type { Database } from '../database.ts';
import { integer, type RowOf, table, text } from '../table.ts';

const DAY_MS = 86_400_000;

export const SYNC_DAYS = table(
  'sync_days',
  {
    chore: text(),
    /** Its beginning, epoch ms. */
    day: integer(),
    syncs: integer(),
    /** Of those, the ones that failed. */
    failed: integer(),
    requests: integer(),
  },
  { key: ['chore', 'day'] },
);

export type SyncDay = RowOf<typeof SYNC_DAYS>;

export function addSync(
  db: Database,
  chore: string,
  atMs: number,
  { failed, requests }: { failed: boolean; requests: number },
): void {
  db.prepare(`INSERT INTO sync_days(chore, day, syncs, failed, requests) VALUES(?, ?, 1, ?, ?)
    ON CONFLICT(chore, day) DO UPDATE SET syncs = syncs + 1, failed = failed + excluded.failed,
      requests = requests + excluded.requests`).run(
    chore,
    Math.floor(atMs / DAY_MS) * DAY_MS,
    Number(failed),
    requests,
  );
}

/** The days that begin at `sinceMs` or later, the oldest first. */
export function syncDaysSince(db: Database, sinceMs: number): SyncDay[] {
  return SYNC_DAYS.in(db).all('WHERE day >= ? ORDER BY day, chore', sinceMs);
}
