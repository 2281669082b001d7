// The ledger's mirrors: which issue is which task, and what both sides last agreed on.
// One task has one mirror and one issue has one mirror; both are held by the tables' keys.
import type { TaskId } from '../../../core/ids.ts';
import type { Status } from '../../../core/task/status.ts';
import type { Database } from '../database.ts';

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
  /** Hash of the file as it was seen last. */
  fileHash: string | null;
  /** 1 for a file that is there and can't be read as this task. */
  unreadable: number;
  /** Rows of the outbox that wait. */
  waiting: number;
}

/** A mirror that waits for its person. */
export interface MirrorInNeed
  extends Pick<MirrorRow, 'task' | 'provider' | 'ref' | 'state' | 'message' | 'syncedAt'> {
  name: string;
}

export interface MirrorsTable {
  byTask(task: string): MirrorRow | null;
  byUid(provider: string, uid: string): MirrorRow | null;
  byRef(provider: string, ref: string): MirrorRow | null;
  /** The task that mirrors this issue. */
  taskOf(provider: string, ref: string): TaskId | null;
  /** The issue that a task mirrors, as `github:acme/web#12`; null for a task without a mirror. */
  issueOf(task: string): string | null;
  list(): MirrorListing[];
  /** Those a person has to look at; none of a finished task, whose issue may be gone. */
  inNeed(): MirrorInNeed[];
  isEmpty(): boolean;
  /** Whether its words wait for a person: `gate` in the base is what sync closed it on. */
  isGated(task: string): boolean;
  /** False, and nothing done, when the task or the issue has a mirror already. */
  insert(row: MirrorRow): boolean;
  update(task: string, change: Partial<Omit<MirrorRow, 'task'>>): void;
  /** With what waits for it in the outbox, and its conflicts. */
  delete(task: string): void;
  /** Ends a mirror for good: the task has none, and its issue is remembered as one that does not come in by itself. */
  retire(task: string): void;
}

const LISTED = `m.task, m.provider, m.uid, m.ref, m.url, m.chore, m.state, m.message, m.cause, m.local_hash AS localHash,
  m.remote_hash AS remoteHash, m.remote_updated_at AS remoteUpdatedAt, m.synced_at AS syncedAt, m.due_at AS dueAt, m.tries`;
/** Whole rows of `mirrors m`. */
export const SELECT_MIRROR = `SELECT ${LISTED}, m.path, m.base FROM mirrors m`;

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

const LIST = `SELECT ${LISTED}, CASE WHEN t.id IS NULL THEN m.path ELSE coalesce(t.path, t.archived) END AS path,
    t.name AS name, t.status AS status, t.archived AS archived, coalesce(f.hash, t.hash) AS fileHash,
    f.path IS NOT NULL AND f.id IS NOT t.id AS unreadable,
    (SELECT count(*) FROM outbox WHERE outbox.task = m.task) AS waiting
  FROM mirrors m LEFT JOIN tasks t ON t.id = m.task LEFT JOIN files f ON f.path = t.path
  WHERE m.cause IS NOT 'unlinked' ORDER BY m.provider, m.ref`;
const BY_REF = `${SELECT_MIRROR} WHERE m.provider = ? AND m.ref = ? AND m.cause IS NOT 'unlinked'
  ORDER BY m.state = 'detached'`;
const TASK_OF = `SELECT task FROM mirrors WHERE provider = ? AND ref = ? AND cause IS NOT 'unlinked'
  ORDER BY state = 'detached' LIMIT 1`;
// Whose they are is told by an index: rows are fat.
const IN_NEED = `SELECT m.task, t.name, m.provider, m.ref, m.state, m.message, m.synced_at AS syncedAt
  FROM (SELECT task FROM mirrors INDEXED BY mirrors_by_chore WHERE state IN ('conflict', 'untrusted', 'detached', 'error')) AS need
  JOIN mirrors m ON m.task = need.task JOIN tasks t ON t.id = m.task
  WHERE t.path IS NOT NULL AND t.status NOT IN ('done', 'canceled') AND m.cause IS NOT 'unlinked' ORDER BY m.synced_at, m.task`;
const RETIRE = `UPDATE mirrors SET task = 'unlinked:' || provider || ':' || uid, state = 'detached', cause = 'unlinked',
  message = NULL, path = NULL, base = NULL, local_hash = '', due_at = NULL WHERE task = ?`;

export function createMirrorsTable(db: Database): MirrorsTable {
  const first = <T>(sql: string, ...values: string[]) => db.prepare(sql).get(...values) as T | undefined;
  const row = (sql: string, ...values: string[]) => first<MirrorRow>(sql, ...values) ?? null;
  const dropWaiting = (task: string) => {
    db.prepare('DELETE FROM outbox WHERE task = ?').run(task);
    db.prepare('DELETE FROM conflicts WHERE task = ?').run(task);
  };
  return {
    byTask: (task) => row(`${SELECT_MIRROR} WHERE m.task = ?`, task),
    byUid: (provider, uid) => row(`${SELECT_MIRROR} WHERE m.provider = ? AND m.uid = ?`, provider, uid),
    byRef: (provider, ref) => row(BY_REF, provider, ref),
    taskOf: (provider, ref) => first<{ task: TaskId }>(TASK_OF, provider, ref)?.task ?? null,
    issueOf(task) {
      const sql = `SELECT provider || ':' || ref AS issue FROM mirrors WHERE task = ?`;
      return first<{ issue: string }>(sql, task)?.issue ?? null;
    },
    list: () => db.prepare(LIST).all() as never,
    inNeed: () => (db.prepare(IN_NEED).all() as object[]).map((one) => ({ ...one }) as MirrorInNeed),
    isGated: (task) =>
      first("SELECT 1 FROM mirrors WHERE task = ? AND json_extract(base, '$.gate') IS NOT NULL", task) !==
      undefined,
    isEmpty: () => first('SELECT 1 FROM mirrors LIMIT 1') === undefined,
    insert: (row) => db.prepare(INSERT).run(...KEYS.map((key) => row[key])).changes === 1,
    update(task, change) {
      const keys = Object.keys(change) as Exclude<keyof MirrorRow, 'task'>[];
      if (keys.length === 0) return;
      const sets = keys.map((key) => `${COLUMNS[key]} = ?`).join(', ');
      const values = keys.map((key) => change[key] as string | number | null);
      db.prepare(`UPDATE mirrors SET ${sets} WHERE task = ?`).run(...values, task);
    },
    delete(task) {
      dropWaiting(task);
      db.prepare('DELETE FROM mirrors WHERE task = ?').run(task);
    },
    retire(task) {
      dropWaiting(task);
      db.prepare(RETIRE).run(task);
    },
  };
}
