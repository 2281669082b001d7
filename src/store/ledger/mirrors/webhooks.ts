// What came in as webhooks: how often, when last, and what that says of each chore. Of a delivery nothing else is kept.
import type { Database, Row } from '../database.ts';

/** Times are epoch ms. */
export interface WebhookCount {
  provider: string;
  /** '' for deliveries that concern no chore. */
  chore: string;
  /** An event as the tracker calls it, or `refused:` and why. */
  what: string;
  count: number;
  /** The last one. */
  at: number;
}

export interface WebhookMarks {
  heardAt: number | null;
  /** Something may have been told that was not heard, or could not be fetched. */
  gapAt: number | null;
  /** A listing found what no webhook had told. */
  missedAt: number | null;
}

export interface WebhooksTable {
  /** Adds to what was counted before. */
  add(counts: readonly WebhookCount[]): void;
  list(): WebhookCount[];
  marks(chore: string): WebhookMarks;
  mark(chore: string, mark: keyof WebhookMarks, atMs: number): void;
}

const COLUMNS: Readonly<Record<keyof WebhookMarks, string>> = {
  heardAt: 'heard_at',
  gapAt: 'gap_at',
  missedAt: 'missed_at',
};

const ADD = `INSERT INTO webhooks(provider, chore, what, count, at) VALUES(?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, at = max(at, excluded.at)`;
const MARKS = `SELECT heard_at AS heardAt, gap_at AS gapAt, missed_at AS missedAt FROM webhook_marks WHERE chore = ?`;

export function createWebhooksTable(db: Database): WebhooksTable {
  return {
    add(counts) {
      for (const { provider, chore, what, count, at } of counts)
        db.prepare(ADD).run(provider, chore, what, count, Math.trunc(at));
    },
    list: () =>
      db
        .prepare('SELECT provider, chore, what, count, at FROM webhooks ORDER BY provider, chore, what')
        .all() as unknown as WebhookCount[],
    marks(chore) {
      const row = db.prepare(MARKS).get(chore) as Row | undefined;
      return row ? ({ ...row } as unknown as WebhookMarks) : { heardAt: null, gapAt: null, missedAt: null };
    },
    mark(chore, mark, atMs) {
      const column = COLUMNS[mark];
      const sql = `INSERT INTO webhook_marks(chore, ${column}) VALUES(?, ?)
        ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`;
      db.prepare(sql).run(chore, Math.trunc(atMs));
    },
  };
}
