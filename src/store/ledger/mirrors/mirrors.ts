// Mirrors: which issue is which task, and what both sides last agreed on. The keys hold one task to one issue. Times are epoch ms.
import type { MirrorState } from '../../../core/chore/fields.ts';
import type { TaskId } from '../../../core/ids.ts';
import type { Status } from '../../../core/task/status.ts';
import { initially, integer, optional, type RowOf, table, text } from '../table.ts';

/** Rows are large: what is asked for all of them at once stands in an index. */
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
    remoteHash: optional(text()), // Hash of what the tracker said when it was last dealt with.
    remoteUpdatedAt: integer(),
    syncedAt: integer(),
    dueAt: optional(integer()),
    tries: initially(integer(), 0),
    base: optional(text()), // JSON that only sync reads, or null when both sides never agreed.
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
  title: string | null;
  status: Status | null;
  archived: string | null;
  fileHash: string | null;
  unreadable: number; // 1 for a file that is there and can't be read as this task.
  waiting: number;
}

export interface MirrorInNeed
  extends Pick<MirrorRow, 'task' | 'provider' | 'chore' | 'ref' | 'state' | 'message' | 'syncedAt'> {
  name: string;
}

const LIST = `SELECT ${MIRRORS.columns('m', 'path', 'base')}, CASE WHEN t.id IS NULL THEN m.path ELSE coalesce(t.path, t.archived) END AS path,
    t.name AS name, t.title AS title, t.status AS status, t.archived AS archived, coalesce(f.hash, t.hash) AS fileHash,
    f.path IS NOT NULL AND f.id IS NOT t.id AS unreadable,
    (SELECT count(*) FROM outbox WHERE outbox.task = m.task) AS waiting
  FROM mirrors m LEFT JOIN tasks t ON t.id = m.task LEFT JOIN files f ON f.path = t.path
  WHERE m.cause IS NOT 'unlinked' AND (?1 IS NULL OR m.task = ?1) ORDER BY m.provider, m.ref`;
const BY_REF = `WHERE provider = ? AND ref = ? AND cause IS NOT 'unlinked' ORDER BY state = 'detached' LIMIT 1`;
const IN_NEED = `SELECT m.task, t.name, m.provider, m.chore, m.ref, m.state, m.message, m.synced_at AS syncedAt
  FROM (SELECT task FROM mirrors INDEXED BY mirrors_by_chore WHERE state IN ('conflict', 'untrusted', 'detached', 'error')) AS need
  JOIN mirrors m ON m.task = need.task JOIN tasks t ON t.id = m.task
  WHERE t.path IS NOT NULL AND t.status NOT IN ('done', 'canceled') AND m.cause IS NOT 'unlinked'
    AND (t.paused OR m.state <> 'untrusted') ORDER BY m.synced_at, m.task`;
const RETIRE = `UPDATE mirrors SET task = 'unlinked:' || provider || ':' || uid, state = 'detached', cause = 'unlinked',
  message = NULL, path = NULL, base = NULL, local_hash = '', due_at = NULL WHERE task = ?`;

export const mirrors = MIRRORS.with((rows, db) => {
  /** What waits for the task in the outbox, its conflicts, and the session of its issue. */
  const dropWaiting = (task: string) => {
    for (const table of ['outbox', 'conflicts', 'remote_sessions'])
      db.run(`DELETE FROM ${table} WHERE task = ?`, task);
  };
  return {
    byUid: (provider: string, uid: string) => rows.first({ provider, uid }),
    byRef: (provider: string, ref: string) => rows.first(BY_REF, provider, ref),
    taskOf: (provider: string, ref: string) =>
      db.column<TaskId>(`SELECT task FROM mirrors ${BY_REF}`, provider, ref)[0] ?? null,
    list: () => db.rows<MirrorListing>(LIST, null).map(withState),
    listed: (task: string): MirrorListing | null =>
      db.rows<MirrorListing>(LIST, task).map(withState)[0] ?? null,
    /** Those a person has to look at; none of a finished task, whose issue may be gone. */
    inNeed: () => db.rows<MirrorInNeed>(IN_NEED),
    /** Whether its words wait for a person: `gate` in the base is what sync closed it on. */
    isGated: (task: string) => rows.has("WHERE task = ? AND json_extract(base, '$.gate') IS NOT NULL", task),
    insert: rows.insertNew, // False, and nothing done, when the task or the issue has a mirror already.
    delete(task: string): void {
      dropWaiting(task);
      rows.delete(task);
    },
    /** Ends a mirror for good: the task has none, and its issue is remembered as one that does not come in by itself. */
    retire(task: string): void {
      dropWaiting(task);
      db.run(RETIRE, task);
    },
  };
});

function withState(row: MirrorListing): MirrorListing {
  const { state } = row;
  if (state !== 'in_sync' && state !== 'pending') return row;
  const isUnreadable = `${row.path} can't be read as this task: mend it in an editor`;
  if (row.unreadable) return { ...row, state: 'error', message: isUnreadable };
  // An intent in the outbox, or an edit nobody looked at.
  if (row.waiting > 0) return { ...row, state: 'pending', message: row.message ?? `${row.waiting} to send` };
  if (row.fileHash === null || row.fileHash === row.localHash) return row;
  return { ...row, state: 'pending', message: row.message ?? 'its file changed since the last sync' };
}

// What is to be looked at: edited since, failed and due again, or waiting for its time. One that failed waits for that
// time whatever is edited meanwhile.
const DUE = `m.state <> 'detached' AND (t.path IS NOT NULL OR t.archived IS NOT NULL) AND (
  (m.local_hash IS NOT NULL AND m.local_hash <> t.hash) OR (m.local_hash IS NULL AND m.due_at IS NULL) OR m.due_at IS NOT NULL)`;
const DUE_AT = `CASE WHEN m.due_at IS NULL OR m.local_hash <> t.hash THEN 0 ELSE m.due_at END`;
const UNSEEN = `SELECT task FROM mirrors WHERE chore = ? AND state <> 'detached' AND remote_hash IS NULL`;
const FILELESS = `m.state <> 'detached' AND t.path IS NULL AND t.archived IS NULL`;
const FROM = 'FROM mirrors m INDEXED BY mirrors_by_chore JOIN tasks t ON t.id = m.task';

const UNREADABLE = `SELECT m.task, m.ref, f.path ${FROM} JOIN files f ON f.path = t.path
  WHERE m.chore = ? AND m.state <> 'detached' AND f.reading LIKE '{"ok":false%' ORDER BY f.path`;
const DIRTY = `SELECT m.task ${FROM} WHERE m.chore = ? AND ${DUE} AND ${DUE_AT} <= ? ORDER BY t.path`;
const DIRTY_CHORES = `SELECT chore, max(min(at), ?1) AS dueAt FROM (
    SELECT m.chore AS chore, ${DUE_AT} AS at ${FROM} WHERE ${DUE}
    UNION ALL SELECT m.chore, coalesce(m.due_at, 0) ${FROM} WHERE ${FILELESS}
    UNION ALL SELECT chore, coalesce(not_before, 0) FROM outbox) GROUP BY chore ORDER BY chore`;
const REVIVED = `SELECT m.task ${FROM}
  WHERE m.chore = ? AND m.state = 'detached' AND m.cause = 'file_gone' AND t.path IS NOT NULL`;
const FILE_IS_GONE = `SELECT m.task ${FROM} WHERE m.chore = ? AND ${FILELESS} AND coalesce(m.due_at, 0) <= ?`;
const UNMADE =
  'WHERE chore = ? AND base IS NULL AND local_hash IS NULL AND task NOT IN (SELECT id FROM tasks)';
const FOLLOWED = `SELECT task, uid FROM mirrors WHERE chore = ? AND state <> 'detached'`;
const ORPHANS = `SELECT task, ref, chore FROM mirrors
  WHERE provider = ? AND chore NOT IN (SELECT value FROM json_each(?))`;

/** The mirrors that one chore keeps, as questions a sync asks. "Followed" ones are those that are not detached. */
export const choreMirrors = MIRRORS.with((rows, db) => ({
  count: (chore: string) => rows.count("WHERE chore = ? AND state <> 'detached'", chore),
  followed: (chore: string) => db.rows<{ task: TaskId; uid: string }>(FOLLOWED, chore),
  /** Tasks whose file differs from what was dealt with, or whose time has come. */
  dirty: (chore: string, nowMs: number) => db.column<TaskId>(DIRTY, chore, nowMs),
  /** Followed ones of which nobody has seen what the tracker says since we wrote there. */
  unseen: (chore: string) => db.column<TaskId>(UNSEEN, chore),
  unreadable: (chore: string) => db.rows<{ task: TaskId; ref: string; path: string }>(UNREADABLE, chore),
  /** Every followed mirror of the chore counts as changed here. */
  markDirty: (chore: string) =>
    db.run("UPDATE mirrors SET local_hash = NULL WHERE chore = ? AND state <> 'detached'", chore),
  /** Chores with something to look at, and when the first of it is due. */
  dirtyChores: (nowMs: number) => db.rows<{ chore: string; dueAt: number }>(DIRTY_CHORES, nowMs),
  revived: (chore: string) => db.column<TaskId>(REVIVED, chore),
  /** Tasks whose file was deleted, and whose time has come. */
  fileless: (chore: string, nowMs: number) => db.column<TaskId>(FILE_IS_GONE, chore, nowMs),
  /** Rows that were claimed for a file nobody ever saw: a crash came between. */
  unmade: (chore: string) => rows.all(UNMADE, chore),
  /** Mirrors of a provider that are governed by none of these chores. */
  orphans: (provider: string, chores: readonly string[]) =>
    db.rows<{ task: TaskId; ref: string; chore: string }>(ORPHANS, provider, JSON.stringify(chores)),
}));
