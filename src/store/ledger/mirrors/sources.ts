// Where the listing of each chore's source stands, how its last sync went and what it was found able to do; how each chore
// ran, its syncs by day, and its webhooks. Times are epoch ms.
import type { SyncReportJson } from '../../../core/chore-shapes.ts';
import type { CamelKeys } from '../../../core/plain-data.ts';
import { initially, integer, json, optional, type RowOf, table, text } from '../table.ts';

type SyncReport = CamelKeys<SyncReportJson>;

/** What an agent can do upstream, as far as the last sync knows (T11). */
export interface SourceServices {
  write: boolean;
  comment: boolean;
  missing: { what: string; set: string }[];
  from?: string[]; // The environment variables that held credentials then.
  /** Whose words the mirror trusts: by role (null for everybody's) or login. Absent while that is not known. */
  trusted?: { roles: string[] | null; logins: string[] };
}

export const SOURCES = table('sources', {
  chore: text(),
  provider: text(),
  source: text(),
  config: text(), // Hash of all that decides what a listing holds: another one starts the listing anew.
  /** Hash of all that decides what is written: after another one every mirror is looked at again. */
  push: optional(text()),
  cursor: optional(text()),
  fullAt: optional(integer()),
  syncedAt: optional(integer()),
  failures: initially(integer(), 0),
  notBefore: optional(integer()),
  error: optional(json<Omit<NonNullable<SyncReport['error']>, 'retryAfterMs'>>()),
  services: optional(json<SourceServices>()),
  usage: optional(json<Pick<SyncReport, 'requests' | 'notModified' | 'remaining' | 'resetAt'>>()),
});

export type SourceRow = RowOf<typeof SOURCES>;

export const sources = SOURCES.with();

export interface ChoreRecord {
  ok: boolean;
  message: string;
  turn?: string;
  counts?: Readonly<Record<string, number>>;
}

/** Rows outlive their files, so that a chore that is back after a branch switch knows when it last ran. */
export const CHORES = table(
  'chores',
  {
    name: text(),
    seenAt: integer(), // When it was first seen: what a schedule counts from that never ran.
    revision: text(), // Hash of the file the failures belong to.
    startedAt: optional(integer()),
    /** End of the last run; null while it runs, or when the runtime died during it. */
    endedAt: optional(integer()),
    result: optional(json<ChoreRecord>()),
    failures: initially(integer(), 0),
    retryAt: optional(integer()),
    stopped: optional(text()),
    askedAt: optional(integer()), // A person asked for a run that did not start.
  },
  { order: 'name' },
);

export type ChoreMemory = RowOf<typeof CHORES>;
export type ChoreChange = Partial<Omit<ChoreMemory, 'name'>>;

export const chores = CHORES.with();
const DAY_MS = 86_400_000;

/** How often each chore synced on each day, and how many requests that took; days begin at midnight UTC. */
export const SYNC_DAYS = table(
  'sync_days',
  { chore: text(), day: integer(), syncs: integer(), failed: integer(), requests: integer() },
  { key: ['chore', 'day'] },
);

export type SyncDay = RowOf<typeof SYNC_DAYS>;

const ADD_SYNC = `INSERT INTO sync_days(chore, day, syncs, failed, requests) VALUES(?, ?, 1, ?, ?)
  ON CONFLICT(chore, day) DO UPDATE SET syncs = syncs + 1, failed = failed + excluded.failed,
    requests = requests + excluded.requests`;

export const syncDays = SYNC_DAYS.with((rows, db) => ({
  add: (chore: string, atMs: number, { failed, requests }: { failed: boolean; requests: number }) =>
    db.run(ADD_SYNC, chore, Math.floor(atMs / DAY_MS) * DAY_MS, Number(failed), requests),
  since: (sinceMs: number) => rows.all('WHERE day >= ? ORDER BY day, chore', sinceMs),
}));

/** What came in as webhooks: how often and when last. Of a delivery nothing else is kept. */
export const WEBHOOKS = table(
  'webhooks',
  {
    provider: text(),
    chore: text(), // '' for deliveries that concern no chore.
    what: text(), // An event as the tracker calls it, or `refused:` and why.
    count: integer(),
    at: integer(),
  },
  { key: ['provider', 'chore', 'what'], order: 'provider, chore, what' },
);

export const WEBHOOK_MARKS = table('webhook_marks', {
  chore: text(),
  heardAt: optional(integer()),
  gapAt: optional(integer()), // Something may have been told that was not heard, or could not be fetched.
  missedAt: optional(integer()), // A listing found what no webhook had told.
});

export type WebhookCount = RowOf<typeof WEBHOOKS>;
export type WebhookMarks = Omit<RowOf<typeof WEBHOOK_MARKS>, 'chore'>;

const ADD = `INSERT INTO webhooks(provider, chore, what, count, at) VALUES(?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET count = count + excluded.count, at = max(at, excluded.at)`;

export const webhooks = WEBHOOKS.with((_rows, db) => {
  const marks = WEBHOOK_MARKS.in(db);
  return {
    add(counts: readonly WebhookCount[]): void {
      for (const { provider, chore, what, count, at } of counts)
        db.run(ADD, provider, chore, what, count, Math.trunc(at));
    },
    marks: (chore: string): WebhookMarks =>
      marks.get(chore) ?? { heardAt: null, gapAt: null, missedAt: null },
    mark: (chore: string, mark: keyof WebhookMarks, atMs: number) => marks.put({ chore, [mark]: atMs }),
  };
});
