// The mirrors one chore keeps, as questions a sync asks: which does it follow, which have to be looked at, and for which
// has the file come, gone or never been made.
import type { TaskId } from '../../../core/ids.ts';
import type { Database } from '../database.ts';
import { MIRRORS, type MirrorRow } from './mirrors.ts';

// What is to be looked at: edited since, failed and due again, or waiting for its time. One that failed waits for that
// time whatever is edited meanwhile.
const DUE = `m.state <> 'detached' AND (t.path IS NOT NULL OR t.archived IS NOT NULL) AND (
  (m.local_hash IS NOT NULL AND m.local_hash <> t.hash) OR (m.local_hash IS NULL AND m.due_at IS NULL) OR m.due_at IS NOT NULL)`;
const DUE_AT = `CASE WHEN m.due_at IS NULL OR m.local_hash <> t.hash THEN 0 ELSE m.due_at END`;
const UNSEEN = `SELECT task FROM mirrors WHERE chore = ? AND state <> 'detached' AND remote_hash IS NULL`;
const FILELESS = `m.state <> 'detached' AND t.path IS NULL AND t.archived IS NULL`;
// Rows are fat: this index holds what is asked for all of them at once.
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
const UNMADE = `SELECT ${MIRRORS.columns('m')} FROM mirrors m
  WHERE m.chore = ? AND m.base IS NULL AND m.local_hash IS NULL AND m.task NOT IN (SELECT id FROM tasks)`;
const ORPHANS = `SELECT task, ref, chore FROM mirrors
  WHERE provider = ? AND chore NOT IN (SELECT value FROM json_each(?))`;

export function createChoreMirrors(db: Database) {
  const rows = <T>(sql: string, ...values: (string | number)[]) => db.prepare(sql).all(...values) as T[];
  return {
    count: (chore: string) => MIRRORS.in(db).count("WHERE chore = ? AND state <> 'detached'", chore),
    /** Every mirror of the chore that is not detached: its issue and its task. */
    followed: (chore: string) =>
      rows<{ task: TaskId; uid: string }>(
        `SELECT task, uid FROM mirrors WHERE chore = ? AND state <> 'detached'`,
        chore,
      ),
    /** Tasks whose file differs from what was dealt with, or whose time has come. */
    dirty: (chore: string, nowMs: number) => db.column<TaskId>(DIRTY, chore, nowMs),
    /** Followed ones of which nobody has seen what the tracker says since we wrote there. */
    unseen: (chore: string) => db.column<TaskId>(UNSEEN, chore),
    /** Followed ones whose file can't be read as a task. */
    unreadable: (chore: string) => rows<{ task: TaskId; ref: string; path: string }>(UNREADABLE, chore),
    /** Every followed mirror of the chore counts as changed here. */
    markDirty(chore: string): void {
      db.prepare("UPDATE mirrors SET local_hash = NULL WHERE chore = ? AND state <> 'detached'").run(chore);
    },
    /** Chores with something to look at, and when the first of it is due. */
    dirtyChores: (nowMs: number) => rows<{ chore: string; dueAt: number }>(DIRTY_CHORES, nowMs),
    /** Detached ones whose file is there again. */
    revived: (chore: string) => db.column<TaskId>(REVIVED, chore),
    /** Tasks whose file was deleted, and whose time has come. */
    fileless: (chore: string, nowMs: number) => db.column<TaskId>(FILE_IS_GONE, chore, nowMs),
    /** Rows that were claimed for a file nobody ever saw: a crash came between. */
    unmade: (chore: string) => rows<MirrorRow>(UNMADE, chore),
    /** Mirrors of a provider that are governed by none of these chores. */
    orphans: (provider: string, chores: readonly string[]) =>
      rows<{ task: TaskId; ref: string; chore: string }>(ORPHANS, provider, JSON.stringify(chores)),
  };
}
