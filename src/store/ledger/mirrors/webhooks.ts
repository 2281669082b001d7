// What came in as webhooks: how often, when last, and what that says of each chore. Of a delivery nothing else is kept.
import type { Database } from '../database.ts';
import { integer, optional, type RowOf, table, text } from '../table.ts';

/** Times are epoch ms. */
export const WEBHOOKS = table(
  'webhooks',
  {
    provider: text(),
    /** '' for deliveries that concern no chore. */
    chore: text(),
    /** An event as the tracker calls it, or `refused:` and why. */
    what: text(),
    count: integer(),
    /** The last one. */
    at: integer(),
  },
  { key: ['provider', 'chore', 'what'] },
);

export const WEBHOOK_MARKS = table('webhook_marks', {
  chore: text(),
  heardAt: optional(integer()),
  /** Something may have been told that was not heard, or could not be fetched. */
  gapAt: optional(integer()),
  /** A listing found what no webhook had told. */
  missedAt: optional(integer()),
});

export type WebhookCount = RowOf<typeof WEBHOOKS>;
export type WebhookMarks = Omit<RowOf<typeof WEBHOOK_MARKS>, 'chore'>;

const ADD = `INSERT INTO webhooks(provider, chore, what, count, at) VALUES(?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, at = max(at, excluded.at)`;

export function createWebhooksTable(db: Database) {
  const marks = WEBHOOK_MARKS.in(db);
  return {
    /** Adds to what was counted before. */
    add(counts: readonly WebhookCount[]): void {
      for (const { provider, chore, what, count, at } of counts)
        db.prepare(ADD).run(provider, chore, what, count, Math.trunc(at));
    },
    list: () => WEBHOOKS.in(db).all('ORDER BY provider, chore, what'),
    marks: (chore: string): WebhookMarks =>
      marks.get(chore) ?? { heardAt: null, gapAt: null, missedAt: null },
    mark: (chore: string, mark: keyof WebhookMarks, atMs: number) => marks.put({ chore, [mark]: atMs }),
  };
}
