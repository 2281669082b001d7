// The ledger's mirrors: which issue is which task, and what both sides last agreed on.
// One task has one mirror and one issue has one mirror; both are held by the tables' keys.
import type { MirrorState } from '../../../core/chore/mirror-state.ts';
import type { TaskId } from '../../../core/ids.ts';
import type { Status } from '../../../core/task/status.ts';
import type { Database } from '../database.ts';
import { initially, integer, optional, type RowOf, table, text } from '../table.ts';

/** Rows are fat: what is asked for all of them at once stands in an index. Times are epoch ms. */
export const MIRRORS = table(
  'mirrors',
  {
    task: text<TaskId>(),
    provider: text(),
    uid: text(),
    ref: text(),
    url: optional(text()),
    chore: text(),
    /** Where the file was when it was dealt with last; counts only while no observation knows better. */
    path: optional(text()),
    state: text(),
    message: optional(text()),
    /** Why it is detached: `remote_gone`, `file_gone`, `unlinked`; null when it is not. */
    cause: optional(text()),
    /** Hash of the file when its local side was last dealt with; null asks for another look. */
    localHash: optional(text()),
    /** Hash of what the tracker said when it was last dealt with. */
    remoteHash: optional(text()),
    remoteUpdatedAt: integer(),
    syncedAt: integer(),
    /** A look that has to wait until then. */
    dueAt: optional(integer()),
    /** Failed looks in a row. */
    tries: initially(integer(), 0),
    /** JSON that only sync reads, or null when both sides never agreed. */
    base: optional(text()),
  },
  {
    hasRowid: true,
    indexes: {
      mirrors_by_uid: 'UNIQUE (provider, uid)',
      mirrors_by_ref: '(provider, ref, task)',
      mirrors_by_chore: '(chore, state, task, local_hash, due_at, uid)',
    },
  },
);

export type MirrorRow = RowOf<typeof MIRRORS>;

/** A mirror with what the ledger last saw of its task. */
export interface MirrorListing extends Omit<MirrorRow, 'base' | 'state'> {
  /** What the last sync said, unless something happened since that both sides have yet to agree on; `message` says why. */
  state: MirrorState;
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

const LIST = `SELECT ${MIRRORS.columns('m', 'path', 'base')}, CASE WHEN t.id IS NULL THEN m.path ELSE coalesce(t.path, t.archived) END AS path,
    t.name AS name, t.status AS status, t.archived AS archived, coalesce(f.hash, t.hash) AS fileHash,
    f.path IS NOT NULL AND f.id IS NOT t.id AS unreadable,
    (SELECT count(*) FROM outbox WHERE outbox.task = m.task) AS waiting
  FROM mirrors m LEFT JOIN tasks t ON t.id = m.task LEFT JOIN files f ON f.path = t.path
  WHERE m.cause IS NOT 'unlinked' AND (?1 IS NULL OR m.task = ?1) ORDER BY m.provider, m.ref`;
const BY_REF = `WHERE provider = ? AND ref = ? AND cause IS NOT 'unlinked' ORDER BY state = 'detached' LIMIT 1`;
// Whose they are is told by an index: rows are fat.
const IN_NEED = `SELECT m.task, t.name, m.provider, m.ref, m.state, m.message, m.synced_at AS syncedAt
  FROM (SELECT task FROM mirrors INDEXED BY mirrors_by_chore WHERE state IN ('conflict', 'untrusted', 'detached', 'error')) AS need
  JOIN mirrors m ON m.task = need.task JOIN tasks t ON t.id = m.task
  WHERE t.path IS NOT NULL AND t.status NOT IN ('done', 'canceled') AND m.cause IS NOT 'unlinked' ORDER BY m.synced_at, m.task`;
const RETIRE = `UPDATE mirrors SET task = 'unlinked:' || provider || ':' || uid, state = 'detached', cause = 'unlinked',
  message = NULL, path = NULL, base = NULL, local_hash = '', due_at = NULL WHERE task = ?`;

export function createMirrorsTable(db: Database) {
  const mirrors = MIRRORS.in(db);
  const dropWaiting = (task: string) => {
    db.prepare('DELETE FROM outbox WHERE task = ?').run(task);
    db.prepare('DELETE FROM conflicts WHERE task = ?').run(task);
  };
  return {
    byTask: (task: string) => mirrors.get(task),
    byUid: (provider: string, uid: string) => mirrors.first('WHERE provider = ? AND uid = ?', provider, uid),
    byRef: (provider: string, ref: string) => mirrors.first(BY_REF, provider, ref),
    /** The task that mirrors this issue. */
    taskOf: (provider: string, ref: string): TaskId | null =>
      db.column<TaskId>(`SELECT task FROM mirrors ${BY_REF}`, provider, ref)[0] ?? null,
    /** The issue that a task mirrors, as `github:acme/web#12`; null for a task without a mirror. */
    issueOf: (task: string) =>
      db.column<string>("SELECT provider || ':' || ref FROM mirrors WHERE task = ?", task)[0] ?? null,
    list: () => (db.prepare(LIST).all(null) as unknown as MirrorListing[]).map(withState),
    /** Null for a task without a mirror. */
    listed(task: string): MirrorListing | null {
      const row = db.prepare(LIST).get(task);
      return row === undefined ? null : withState(row as unknown as MirrorListing);
    },
    /** Those a person has to look at; none of a finished task, whose issue may be gone. */
    inNeed: () => db.prepare(IN_NEED).all() as unknown as MirrorInNeed[],
    /** Whether its words wait for a person: `gate` in the base is what sync closed it on. */
    isGated: (task: string) =>
      mirrors.count("WHERE task = ? AND json_extract(base, '$.gate') IS NOT NULL", task) > 0,
    isEmpty: () => db.column('SELECT 1 FROM mirrors LIMIT 1').length === 0,
    /** False, and nothing done, when the task or the issue has a mirror already. */
    insert: (row: MirrorRow) => mirrors.insertNew(row),
    update: mirrors.update,
    /** With what waits for it in the outbox, and its conflicts. */
    delete(task: string): void {
      dropWaiting(task);
      mirrors.delete(task);
    },
    /** Ends a mirror for good: the task has none, and its issue is remembered as one that does not come in by itself. */
    retire(task: string): void {
      dropWaiting(task);
      db.prepare(RETIRE).run(task);
    },
  };
}

function withState(row: MirrorListing): MirrorListing {
  const { state } = row;
  if (state !== 'in_sync' && state !== 'pending') return row;
  if (row.unreadable)
    return {
      ...row,
      state: 'error',
      message: `${row.path} can't be read as this task: mend it in an editor`,
    };
  // An intent in the outbox, or an edit nobody looked at.
  if (row.waiting > 0) return { ...row, state: 'pending', message: row.message ?? `${row.waiting} to send` };
  if (row.fileHash === null || row.fileHash === row.localHash) return row;
  return { ...row, state: 'pending', message: row.message ?? 'its file changed since the last sync' };
}
