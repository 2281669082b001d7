// What the runtime remembers of each task beside its text: what was last observed, what a turn consumed,
// failed attempts, and the events that ask for a turn. Rows are never deleted, so that no id is used twice (S7).

import type { TaskId } from '../../core/ids.ts';
import { LONGEST_RETRY_WAIT_MS } from '../../core/rules/backoff.ts';
import type { Wake } from '../../core/rules/decide.ts';
import type { Status } from '../../core/task/status.ts';
import type { Database, Row } from './database.ts';

/** One row of `tasks`. Times are epoch ms. */
export interface TaskMemory {
  id: TaskId;
  /** Where its file was last seen; null when the file is gone. */
  path: string | null;
  name: string;
  /** Of the text last observed. */
  hash: string;
  revision: string;
  status: Status;
  paused: boolean;
  /** As written, null for the room's default agent. */
  owner: string | null;
  /** 0 high, 1 medium, 2 low. */
  priority: number;
  parent: string | null;
  /** Revision that a turn consumed last. */
  consumed: string | null;
  /** Revision of the last failed attempt; an edit after it is tried at once. */
  attempted: string | null;
  attempts: number;
  retryAt: number | null;
  held: boolean;
  /** Turns in a row without outside input. */
  loops: number;
  blocked: boolean;
  finishedAt: number | null;
  goneAt: number | null;
  /** Where it lies in the archive. */
  archived: string | null;
  session: string | null;
  seenAt: number;
}

const COLUMNS = `id, path, name, hash, revision, status, paused, owner, priority, parent, consumed, attempted, attempts,
  retry_at AS retryAt, held, loops, blocked, finished_at AS finishedAt, gone_at AS goneAt, archived, session, seen_at AS seenAt`;

const SNAKE: Partial<Record<keyof TaskMemory, string>> = {
  retryAt: 'retry_at',
  finishedAt: 'finished_at',
  goneAt: 'gone_at',
  seenAt: 'seen_at',
};

export interface TasksTable {
  get(id: string): TaskMemory | null;
  byPath(path: string): TaskMemory | null;
  /** Ids that begin with `prefix`, at most `limit`, live ones first. */
  byPrefix(prefix: string, limit: number): TaskMemory[];
  byName(name: string): TaskMemory[];
  /** Tasks of that name in the archive, the newest first. */
  archivedByName(name: string): TaskMemory[];
  insert(memory: TaskMemory): void;
  update(id: string, change: Partial<Omit<TaskMemory, 'id'>>): void;
  /** Tasks with a file that are open, not paused and have an unconsumed revision or a wake: what decide must look at. */
  candidates(): TaskMemory[];
  /** How many tasks with a file have each status. */
  countByStatus(): Map<Status, number>;
  /** Tasks with a file, of the given statuses. */
  withStatus(statuses: readonly Status[]): TaskMemory[];
  children(parentRefs: readonly string[]): TaskMemory[];
  paths(): Map<string, TaskId>;
  nextRetryAt(): number | null;
  retriesDue(nowMs: number): TaskId[];
  finishedBefore(atMs: number): TaskMemory[];
  held(): TaskMemory[];
  /** Tasks with a file that wait for a retry, the soonest first. */
  retrying(): (TaskMemory & { retryAt: number })[];
  /** Tasks with a file that are held, wait for a retry or are finished. */
  waiting(): Map<TaskId, Pick<TaskMemory, 'held' | 'retryAt' | 'finishedAt'>>;
  /** Status by id, and by name of what lies in the archive, of tasks without a file. */
  statusesOfAbsent(refs: readonly string[]): Map<string, Status>;
  /** Tasks without a file: archived, deleted, or not there at the last look. */
  absent(): { id: TaskId; name: string; path: null }[];
  isEmpty(): boolean;
  setBlockers(id: string, refs: readonly string[]): void;
  /** What a task waits for: ids or names. */
  blockersOf(id: string): string[];
  /** Tasks whose `blocked_by` holds one of these references. */
  blockedBy(refs: readonly string[]): TaskId[];
  addWake(id: string, kind: Wake, atMs: number): void;
  wakes(id: string): Wake[];
  clearWakes(id: string): void;
}

function fromRow(row: Row | undefined): TaskMemory | null {
  if (!row) return null;
  return {
    ...row,
    paused: row.paused === 1,
    held: row.held === 1,
    blocked: row.blocked === 1,
  } as unknown as TaskMemory;
}

function toColumn(value: unknown): string | number | null {
  return typeof value === 'boolean' ? Number(value) : (value as string | number | null);
}

// Two indexes answer it without the rows of tasks that are neither; one that is both comes again, in full.
const WAITING = `SELECT id, 0, NULL, finished_at FROM tasks INDEXED BY tasks_finished WHERE path IS NOT NULL AND finished_at IS NOT NULL
  UNION ALL SELECT id, held, retry_at, finished_at FROM tasks INDEXED BY tasks_put_off
  WHERE path IS NOT NULL AND (held = 1 OR retry_at IS NOT NULL)`;

export function createTasksTable(db: Database): TasksTable {
  const all = (sql: string, ...values: (string | number)[]): TaskMemory[] =>
    (db.prepare(sql).all(...values) as Row[]).map((row) => fromRow(row)!);
  const columnOf = (key: string) => SNAKE[key as keyof TaskMemory] ?? key;
  return {
    get: (id) => fromRow(db.prepare(`SELECT ${COLUMNS} FROM tasks WHERE id = ?`).get(id) as Row | undefined),
    byPath: (path) =>
      fromRow(db.prepare(`SELECT ${COLUMNS} FROM tasks WHERE path = ?`).get(path) as Row | undefined),
    byPrefix: (prefix, limit) =>
      all(
        `SELECT ${COLUMNS} FROM tasks WHERE id >= ? AND id < ? ORDER BY path IS NULL, id LIMIT ?`,
        prefix,
        `${prefix}\uffff`,
        limit,
      ),
    // The name is the file's: this way it needs no index of its own.
    byName: (name) => all(`SELECT ${COLUMNS} FROM tasks WHERE path = ?`, `tasks/${name}.md`),
    archivedByName: (name) =>
      all(
        `SELECT ${COLUMNS} FROM tasks WHERE name = ? AND path IS NULL AND archived IS NOT NULL ORDER BY finished_at DESC`,
        name,
      ),
    insert(memory) {
      const keys = Object.keys(memory);
      const sql = `INSERT INTO tasks(${keys.map(columnOf).join(', ')}) VALUES(${keys.map(() => '?').join(', ')})`;
      db.prepare(sql).run(...Object.values(memory).map(toColumn));
    },
    update(id, change) {
      const keys = Object.keys(change);
      if (keys.length === 0) return;
      const sql = `UPDATE tasks SET ${keys.map((key) => `${columnOf(key)} = ?`).join(', ')} WHERE id = ?`;
      db.prepare(sql).run(...Object.values(change).map(toColumn), id);
    },
    candidates: () =>
      all(`SELECT ${COLUMNS} FROM tasks WHERE path IS NOT NULL AND (
        (status IN ('todo', 'doing') AND paused = 0 AND consumed IS NOT revision)
        OR id IN (SELECT task FROM wakes))`),
    countByStatus() {
      const rows = db
        .prepare('SELECT status, count(*) AS number FROM tasks WHERE path IS NOT NULL GROUP BY status')
        .all() as { status: Status; number: number }[];
      return new Map(rows.map(({ status, number }) => [status, number]));
    },
    withStatus: (statuses) =>
      statuses.flatMap((status) =>
        all(`SELECT ${COLUMNS} FROM tasks WHERE path IS NOT NULL AND status = ?`, status),
      ),
    children: (refs) => refs.flatMap((ref) => all(`SELECT ${COLUMNS} FROM tasks WHERE parent = ?`, ref)),
    paths() {
      const rows = db.prepare('SELECT path, id FROM tasks WHERE path IS NOT NULL').all() as Row[];
      return new Map(rows.map((row) => [row.path as string, row.id as TaskId]));
    },
    nextRetryAt: () =>
      (
        db
          .prepare('SELECT min(retry_at) AS at FROM tasks WHERE retry_at IS NOT NULL AND path IS NOT NULL')
          .get() as Row
      ).at as number | null,
    retriesDue: (nowMs) =>
      (
        db
          .prepare('SELECT id FROM tasks WHERE (retry_at <= ?1 OR retry_at > ?1 + ?2) AND path IS NOT NULL')
          .all(nowMs, LONGEST_RETRY_WAIT_MS) as Row[]
      ).map((row) => row.id as TaskId),
    finishedBefore: (atMs) =>
      all(`SELECT ${COLUMNS} FROM tasks WHERE path IS NOT NULL AND finished_at < ?`, atMs),
    retrying: () =>
      all(
        `SELECT ${COLUMNS} FROM tasks INDEXED BY tasks_put_off
         WHERE path IS NOT NULL AND (held = 1 OR retry_at IS NOT NULL) AND retry_at IS NOT NULL ORDER BY retry_at`,
      ) as ReturnType<TasksTable['retrying']>,
    held: () => all(`SELECT ${COLUMNS} FROM tasks WHERE path IS NOT NULL AND held = 1`),
    waiting() {
      const statement = db.prepare(WAITING);
      statement.setReturnArrays(true);
      const rows = statement.all() as unknown as [TaskId, number, number | null, number | null][];
      const waiting: ReturnType<TasksTable['waiting']> = new Map();
      for (const row of rows)
        waiting.set(row[0], { held: row[1] === 1, retryAt: row[2], finishedAt: row[3] });
      return waiting;
    },
    statusesOfAbsent(refs) {
      const words = JSON.stringify(refs);
      const sql = `SELECT id AS word, status, 1 AS rank FROM tasks WHERE id IN (SELECT value FROM json_each(?1))
        UNION ALL SELECT name, status, 0 FROM tasks
          WHERE path IS NULL AND archived IS NOT NULL AND name IN (SELECT value FROM json_each(?1)) ORDER BY rank`;
      return new Map(
        (db.prepare(sql).all(words) as Row[]).map((row) => [row.word as string, row.status as Status]),
      );
    },
    absent: () =>
      (db.prepare('SELECT id, name, path FROM tasks WHERE path IS NULL').all() as Row[]).map(
        (row) => row as never,
      ),
    isEmpty: () => db.prepare('SELECT 1 FROM tasks LIMIT 1').get() === undefined,
    setBlockers(id, refs) {
      db.prepare('DELETE FROM blockers WHERE task = ?').run(id);
      for (const ref of refs)
        db.prepare('INSERT OR IGNORE INTO blockers(task, ref) VALUES(?, ?)').run(id, ref);
    },
    blockersOf: (id) =>
      (db.prepare('SELECT ref FROM blockers WHERE task = ? ORDER BY ref').all(id) as Row[]).map(
        (row) => row.ref as string,
      ),
    blockedBy: (refs) =>
      refs.flatMap((ref) =>
        (db.prepare('SELECT task FROM blockers WHERE ref = ?').all(ref) as Row[]).map(
          (row) => row.task as TaskId,
        ),
      ),
    addWake(id, kind, atMs) {
      db.prepare('INSERT OR IGNORE INTO wakes(task, kind, at) VALUES(?, ?, ?)').run(id, kind, atMs);
    },
    wakes: (id) =>
      (db.prepare('SELECT kind FROM wakes WHERE task = ? ORDER BY at').all(id) as Row[]).map(
        (row) => row.kind as Wake,
      ),
    clearWakes(id) {
      db.prepare('DELETE FROM wakes WHERE task = ?').run(id);
    },
  };
}
