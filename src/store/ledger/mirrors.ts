// The ledger's mirrors: which issue is which task, what both sides last agreed on, and what of it is to be looked at.
// One task has one mirror and one issue has one mirror; both are held by the tables' keys.
import type { TaskId } from '../../core/ids.ts';
import type { Status } from '../../core/task/status.ts';
import type { Database, Row } from './database.ts';

/** One row of `mirrors`. Times are epoch ms. */
export interface MirrorRow {
  task: TaskId;
  provider: string;
  uid: string;
  ref: string;
  url: string | null;
  chore: string;
  /** Where the file was when it was dealt with last; counts only while no observation knows better. */
  path: string | null;
  state: string;
  message: string | null;
  /** Why it is detached: `remote_gone`, `file_gone`, `unlinked`; null when it is not. */
  cause: string | null;
  /** Hash of the file when its local side was last dealt with; null asks for another look. */
  localHash: string | null;
  /** Hash of what the tracker said when it was last dealt with. */
  remoteHash: string | null;
  remoteUpdatedAt: number;
  syncedAt: number;
  /** A look that has to wait until then. */
  dueAt: number | null;
  /** Failed looks in a row. */
  tries: number;
  /** JSON, or null when both sides never agreed. */
  base: string | null;
}

/** A mirror with what the ledger last saw of its task. */
export interface MirrorListing extends Omit<MirrorRow, 'base'> {
  name: string | null;
  status: Status | null;
  archived: string | null;
  /** Rows of the outbox that wait. */
  waiting: number;
}

export interface MirrorsTable {
  byTask(task: string): MirrorRow | null;
  byUid(provider: string, uid: string): MirrorRow | null;
  byRef(provider: string, ref: string): MirrorRow | null;
  /** The task that mirrors this issue. */
  taskOf(provider: string, ref: string): TaskId | null;
  /** `github:acme/web#12`; null for a task without a mirror. */
  wordOf(task: string): string | null;
  /** False, and nothing done, when the task or the issue has a mirror already. */
  insert(row: MirrorRow): boolean;
  update(task: string, change: Partial<Omit<MirrorRow, 'task'>>): void;
  /** With what waits for it in the outbox. */
  delete(task: string): void;
  /** Ends a mirror for good: the task has none, and its issue is remembered as one that does not come in by itself. */
  retire(task: string): void;
  count(chore: string): number;
  isEmpty(): boolean;
  /** Every mirror of the chore that is not detached: its issue and its task. */
  followed(chore: string): { task: TaskId; uid: string }[];
  /** Detached ones whose file is there again. */
  revived(chore: string): TaskId[];
  /** Tasks whose file differs from what was dealt with, or whose time has come. */
  dirty(chore: string, nowMs: number): TaskId[];
  /** Tasks whose file was deleted, and whose time has come. */
  fileless(chore: string, nowMs: number): TaskId[];
  /** Mirrors of a provider that are governed by none of these chores. */
  orphans(provider: string, chores: readonly string[]): { task: TaskId; ref: string; chore: string }[];
  /** Rows that were claimed for a file nobody ever saw: a crash came between. */
  unmade(chore: string): MirrorRow[];
  /** Chores with something to look at, and when the first of it is due. */
  dirtyChores(nowMs: number): { chore: string; dueAt: number }[];
  /** Every followed mirror of the chore counts as changed here. */
  lookAgain(chore: string): void;
  list(): MirrorListing[];
  /** Notes that a comment entry was said through our tools. */
  speak(entry: string, atMs: number): void;
  spokenAmong(entries: readonly string[]): Set<string>;
}

const LISTED = `m.task, m.provider, m.uid, m.ref, m.url, m.chore, m.state, m.message, m.cause, m.local_hash AS localHash,
  m.remote_hash AS remoteHash, m.remote_updated_at AS remoteUpdatedAt, m.synced_at AS syncedAt, m.due_at AS dueAt, m.tries`;
const ALL = `SELECT ${LISTED}, m.path, m.base FROM mirrors m`;

const COLUMNS: Readonly<Record<keyof MirrorRow, string>> = {
  task: 'task',
  provider: 'provider',
  uid: 'uid',
  ref: 'ref',
  url: 'url',
  chore: 'chore',
  path: 'path',
  state: 'state',
  message: 'message',
  cause: 'cause',
  localHash: 'local_hash',
  remoteHash: 'remote_hash',
  remoteUpdatedAt: 'remote_updated_at',
  syncedAt: 'synced_at',
  dueAt: 'due_at',
  tries: 'tries',
  base: 'base',
};
const KEYS = Object.keys(COLUMNS) as (keyof MirrorRow)[];
const INSERT = `INSERT OR IGNORE INTO mirrors(${Object.values(COLUMNS).join(', ')}) VALUES(${KEYS.map(() => '?').join(', ')})`;

// What is to be looked at: edited since, failed and due again, or waiting for its time. One that failed waits for that
// time whatever is edited meanwhile.
const DUE = `m.state <> 'detached' AND (t.path IS NOT NULL OR t.archived IS NOT NULL) AND (
  (m.local_hash IS NOT NULL AND m.local_hash <> t.hash) OR (m.local_hash IS NULL AND m.due_at IS NULL) OR m.due_at IS NOT NULL)`;
const FROM = 'FROM mirrors m INDEXED BY mirrors_by_chore JOIN tasks t ON t.id = m.task';
const DUE_AT = `CASE WHEN m.due_at IS NULL OR m.local_hash <> t.hash THEN 0 ELSE m.due_at END`;

export function createMirrorsTable(db: Database): MirrorsTable {
  const one = (sql: string, ...values: string[]): MirrorRow | null =>
    (db.prepare(sql).get(...values) as MirrorRow | undefined) ?? null;
  const tasks = (sql: string, ...values: (string | number)[]): TaskId[] =>
    (db.prepare(sql).all(...values) as Row[]).map((row) => row.task as TaskId);
  return {
    byTask: (task) => one(`${ALL} WHERE m.task = ?`, task),
    byUid: (provider, uid) => one(`${ALL} WHERE m.provider = ? AND m.uid = ?`, provider, uid),
    byRef: (provider, ref) =>
      one(
        `${ALL} WHERE m.provider = ? AND m.ref = ? AND m.cause IS NOT 'unlinked' ORDER BY m.state = 'detached'`,
        provider,
        ref,
      ),
    taskOf: (provider, ref) =>
      tasks(
        `SELECT task FROM mirrors WHERE provider = ? AND ref = ? AND cause IS NOT 'unlinked' ORDER BY state = 'detached' LIMIT 1`,
        provider,
        ref,
      )[0] ?? null,
    wordOf(task) {
      const row = db.prepare(`SELECT provider || ':' || ref AS word FROM mirrors WHERE task = ?`).get(task);
      return (row as { word: string } | undefined)?.word ?? null;
    },
    insert: (row) => db.prepare(INSERT).run(...KEYS.map((key) => row[key])).changes === 1,
    update(task, change) {
      const keys = Object.keys(change) as Exclude<keyof MirrorRow, 'task'>[];
      if (keys.length === 0) return;
      const sets = keys.map((key) => `${COLUMNS[key]} = ?`).join(', ');
      const values = keys.map((key) => change[key] as string | number | null);
      db.prepare(`UPDATE mirrors SET ${sets} WHERE task = ?`).run(...values, task);
    },
    delete(task) {
      db.prepare('DELETE FROM outbox WHERE task = ?').run(task);
      db.prepare('DELETE FROM mirrors WHERE task = ?').run(task);
    },
    retire(task) {
      db.prepare('DELETE FROM outbox WHERE task = ?').run(task);
      db.prepare(
        `UPDATE mirrors SET task = 'unlinked:' || provider || ':' || uid, state = 'detached', cause = 'unlinked',
          message = NULL, path = NULL, base = NULL, local_hash = '', due_at = NULL WHERE task = ?`,
      ).run(task);
    },
    count: (chore) =>
      Number(
        (
          db
            .prepare(`SELECT count(*) AS n FROM mirrors WHERE chore = ? AND state <> 'detached'`)
            .get(chore) as Row
        ).n,
      ),
    isEmpty: () => db.prepare('SELECT 1 FROM mirrors LIMIT 1').get() === undefined,
    followed: (chore) =>
      db.prepare(`SELECT task, uid FROM mirrors WHERE chore = ? AND state <> 'detached'`).all(chore) as never,
    revived: (chore) =>
      tasks(
        `SELECT m.task ${FROM} WHERE m.chore = ? AND m.state = 'detached' AND m.cause = 'file_gone' AND t.path IS NOT NULL`,
        chore,
      ),
    dirty: (chore, nowMs) =>
      tasks(
        `SELECT m.task ${FROM} WHERE m.chore = ? AND ${DUE} AND ${DUE_AT} <= ? ORDER BY t.path`,
        chore,
        nowMs,
      ),
    fileless: (chore, nowMs) =>
      tasks(
        `SELECT m.task ${FROM} WHERE m.chore = ? AND m.state <> 'detached' AND t.path IS NULL AND t.archived IS NULL
          AND coalesce(m.due_at, 0) <= ?`,
        chore,
        nowMs,
      ),
    orphans: (provider, chores) =>
      db
        .prepare(
          'SELECT task, ref, chore FROM mirrors WHERE provider = ? AND chore NOT IN (SELECT value FROM json_each(?))',
        )
        .all(provider, JSON.stringify(chores)) as never,
    unmade: (chore) =>
      db
        .prepare(
          `${ALL} WHERE m.chore = ? AND m.base IS NULL AND m.local_hash IS NULL AND m.task NOT IN (SELECT id FROM tasks)`,
        )
        .all(chore) as never,
    dirtyChores: (nowMs) =>
      db
        .prepare(
          `SELECT chore, max(min(at), ?1) AS dueAt FROM (
            SELECT m.chore AS chore, ${DUE_AT} AS at ${FROM} WHERE ${DUE}
            UNION ALL SELECT m.chore, coalesce(m.due_at, 0) ${FROM} WHERE m.state <> 'detached' AND t.path IS NULL AND t.archived IS NULL
            UNION ALL SELECT chore, coalesce(not_before, 0) FROM outbox) GROUP BY chore ORDER BY chore`,
        )
        .all(nowMs) as never,
    lookAgain(chore) {
      db.prepare("UPDATE mirrors SET local_hash = NULL WHERE chore = ? AND state <> 'detached'").run(chore);
    },
    list: () =>
      db
        .prepare(
          `SELECT ${LISTED}, CASE WHEN t.id IS NULL THEN m.path ELSE coalesce(t.path, t.archived) END AS path,
            t.name AS name, t.status AS status, t.archived AS archived,
            (SELECT count(*) FROM outbox WHERE outbox.task = m.task) AS waiting
          FROM mirrors m LEFT JOIN tasks t ON t.id = m.task WHERE m.cause IS NOT 'unlinked' ORDER BY m.provider, m.ref`,
        )
        .all() as never,
    speak(entry, atMs) {
      db.prepare('INSERT OR IGNORE INTO spoken(entry, at) VALUES(?, ?)').run(entry, Math.trunc(atMs));
    },
    spokenAmong(entries) {
      if (entries.length === 0) return new Set();
      const sql = 'SELECT entry FROM spoken WHERE entry IN (SELECT value FROM json_each(?))';
      const rows = db.prepare(sql).all(JSON.stringify(entries)) as Row[];
      return new Set(rows.map((row) => row.entry as string));
    },
  };
}
