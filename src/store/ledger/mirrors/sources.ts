// Where the listing of each chore's source stands, how its last sync went, and what it was found able to do.
import type { ErrorCode } from '../../../core/errors.ts';
import type { Database } from '../database.ts';
import { initially, integer, json, optional, type RowOf, table, text } from '../table.ts';

export interface SourceError {
  code: ErrorCode;
  message: string;
  hint: string | null;
}

/** What an agent can do upstream, as far as the last sync knows (T11). */
export interface SourceServices {
  write: boolean;
  comment: boolean;
  missing: { what: string; set: string }[];
  /** The environment variables that held credentials then. */
  from?: string[];
  /** Whose words the mirror trusts: by role (null for everybody's) or login. Absent while that is not known. */
  trusted?: { roles: string[] | null; logins: string[] };
}

export interface SourceUsage {
  requests: number;
  notModified: number;
  remaining: number | null;
  resetAt: number | null;
}

/** Times are epoch ms. */
export const SOURCES = table('sources', {
  chore: text(),
  provider: text(),
  source: text(),
  /** Hash of all that decides what a listing holds: another one starts the listing anew. */
  config: text(),
  /** Hash of all that decides what is written: after another one every mirror is looked at again. */
  push: optional(text()),
  cursor: optional(text()),
  /** End of the last full listing. */
  fullAt: optional(integer()),
  syncedAt: optional(integer()),
  failures: initially(integer(), 0),
  notBefore: optional(integer()),
  error: optional(json<SourceError>()),
  services: optional(json<SourceServices>()),
  usage: optional(json<SourceUsage>()),
});

export type SourceRow = RowOf<typeof SOURCES>;

export const createSourcesTable = (db: Database) => SOURCES.in(db);

// What the runtime remembers of each chore: when it ran last and how that ended. Rows outlive their files, so that a
// chore that is back after a branch switch knows when it last ran.

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

// How often each chore synced on each day, and how many requests that took; days begin at midnight UTC.

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

// What came in as webhooks: how often, when last, and what that says of each chore. Of a delivery nothing else is kept.

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
        db.run(ADD, provider, chore, what, count, Math.trunc(at));
    },
    list: () => WEBHOOKS.in(db).all('ORDER BY provider, chore, what'),
    marks: (chore: string): WebhookMarks =>
      marks.get(chore) ?? { heardAt: null, gapAt: null, missedAt: null },
    mark: (chore: string, mark: keyof WebhookMarks, atMs: number) => marks.put({ chore, [mark]: atMs }),
  };
}
