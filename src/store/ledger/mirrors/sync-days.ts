// How often each chore synced on each day, and how many requests that took; days begin at midnight UTC. Loaded by what
// counts and what shows it alone.
import type { Database, Row } from '../database.ts';

const DAY_MS = 86_400_000;

export interface SyncDay {
  chore: string;
  /** Its beginning, epoch ms. */
  day: number;
  syncs: number;
  /** Of those, the ones that failed. */
  failed: number;
  requests: number;
}

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
  const sql = 'SELECT chore, day, syncs, failed, requests FROM sync_days WHERE day >= ? ORDER BY day, chore';
  return db.prepare(sql).all(sinceMs) as Row[] as unknown as SyncDay[];
}
