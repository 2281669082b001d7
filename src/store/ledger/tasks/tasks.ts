// What the runtime remembers of each task beside its text: what was last observed, what a turn consumed, and failed
// attempts. Rows are never deleted, so that no id is used twice (S7).
import type { TaskId } from '../../../core/ids.ts';
import { LONGEST_RETRY_WAIT_MS } from '../../../core/rules/backoff.ts';
import type { Status } from '../../../core/task/status.ts';
import type { Database, Row } from '../database.ts';

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
  seenAt: number;
}

const COLUMNS = `SELECT id, path, name, hash, revision, status, paused, owner, priority, parent, consumed, attempted, attempts,
  retry_at AS retryAt, held, loops, blocked, finished_at AS finishedAt, gone_at AS goneAt, archived, seen_at AS seenAt`;
const SELECT = `${COLUMNS} FROM tasks`;

const SNAKE: Partial<Record<keyof TaskMemory, string>> = {
  retryAt: 'retry_at',
  finishedAt: 'finished_at',
  goneAt: 'gone_at',
  seenAt: 'seen_at',
};

export interface TasksTable extends TaskLookups, TasksInWait {
  insert(memory: TaskMemory): void;
  update(id: string, change: Partial<Omit<TaskMemory, 'id'>>): void;
}

/** Tasks by what names them. */
interface TaskLookups {
  get(id: string): TaskMemory | null;
  byPath(path: string): TaskMemory | null;
  byName(name: string): TaskMemory[];
  /** Tasks of that name in the archive, the newest first. */
  archivedByName(name: string): TaskMemory[];
  children(parentRefs: readonly string[]): TaskMemory[];
  /** Tasks without a file: archived, deleted, or not there at the last look. */
  absent(): { id: TaskId; name: string; path: null }[];
  /** Status by id, and by name of what lies in the archive, of tasks without a file. */
  statusesOfAbsent(refs: readonly string[]): Map<string, Status>;
  isEmpty(): boolean;
}

/** Tasks with a file by where they stand: what may be due, and what waits for a time or a person. */
interface TasksInWait {
  /** Open ones that are not paused and have an unconsumed revision, and all with a wake or a retry: what decide must look at. */
  candidates(): TaskMemory[];
  /** Who takes the open ones that are not paused; null stands for the default agent. */
  ownersOfOpen(): (string | null)[];
  /** The {@link candidates} of one of them. */
  candidatesOf(owner: string | null): TaskMemory[];
  countByStatus(): Map<Status, number>;
  withStatus(statuses: readonly Status[]): TaskMemory[];
  nextRetryAt(): number | null;
  retriesDue(nowMs: number): TaskId[];
  finishedBefore(atMs: number): TaskMemory[];
  held(): TaskMemory[];
  /** The soonest first. */
  retrying(): (TaskMemory & { retryAt: number })[];
  /** Tasks that are held, wait for a retry or are finished. */
  waiting(): Map<TaskId, Pick<TaskMemory, 'held' | 'retryAt' | 'finishedAt'>>;
}

function memoryOf(row: Row): TaskMemory {
  const flags = { paused: row.paused === 1, held: row.held === 1, blocked: row.blocked === 1 };
  return { ...row, ...flags } as unknown as TaskMemory;
}

export function createTasksTable(db: Database): TasksTable {
  const columnOf = (key: string) => SNAKE[key as keyof TaskMemory] ?? key;
  return {
    ...taskLookups(db),
    ...tasksInWait(db),
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
  };
}

function toColumn(value: unknown): string | number | null {
  return typeof value === 'boolean' ? Number(value) : (value as string | number | null);
}

function allOf(db: Database) {
  return (sql: string, ...values: (string | number)[]): TaskMemory[] =>
    (db.prepare(sql).all(...values) as Row[]).map(memoryOf);
}

const STATUSES_OF_ABSENT = `SELECT id AS word, status, 1 AS rank FROM tasks WHERE id IN (SELECT value FROM json_each(?1))
  UNION ALL SELECT name, status, 0 FROM tasks
    WHERE path IS NULL AND archived IS NOT NULL AND name IN (SELECT value FROM json_each(?1)) ORDER BY rank`;

function taskLookups(db: Database): TaskLookups {
  const all = allOf(db);
  const one = (sql: string, value: string): TaskMemory | null => {
    const row = db.prepare(sql).get(value) as Row | undefined;
    return row ? memoryOf(row) : null;
  };
  return {
    get: db.keep('tasks', 'id', (id) => one(`${SELECT} WHERE id = ?`, id)),
    byPath: (path) => one(`${SELECT} WHERE path = ?`, path),
    // The name is the file's: this way it needs no index of its own.
    byName: (name) => all(`${SELECT} WHERE path = ?`, `tasks/${name}.md`),
    archivedByName(name) {
      const isThere = 'name = ? AND path IS NULL AND archived IS NOT NULL';
      return all(`${SELECT} WHERE ${isThere} ORDER BY finished_at DESC`, name);
    },
    children: (refs) => refs.flatMap((ref) => all(`${SELECT} WHERE parent = ?`, ref)),
    absent: () => db.prepare('SELECT id, name, path FROM tasks WHERE path IS NULL').all() as never,
    statusesOfAbsent(refs) {
      const rows = db.prepare(STATUSES_OF_ABSENT).all(JSON.stringify(refs)) as Row[];
      return new Map(rows.map((row) => [row.word as string, row.status as Status]));
    },
    isEmpty: () => db.prepare('SELECT 1 FROM tasks LIMIT 1').get() === undefined,
  };
}

/** The few that wait, without a look at the others: each pass of the pulse asks for them. */
const PUT_OFF = `FROM tasks INDEXED BY tasks_put_off WHERE path IS NOT NULL AND (held = 1 OR retry_at IS NOT NULL)`;
const CANDIDATES = `${SELECT} WHERE path IS NOT NULL AND (
  (status IN ('todo', 'doing') AND paused = 0 AND consumed IS NOT revision) OR id IN (SELECT task FROM wakes)
  OR id IN (SELECT id ${PUT_OFF}))`;
const OWNERS_OF_OPEN = `SELECT DISTINCT owner FROM tasks INDEXED BY tasks_open_by_owner
  WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0`;
const NEXT_RETRY = `SELECT min(retry_at) AS at ${PUT_OFF}`;
// A time further away than any wait was set before the clock went back: it is due.
const RETRIES_DUE = `SELECT id ${PUT_OFF} AND (retry_at <= ?1 OR retry_at > ?1 + ?2)`;
// Two indexes answer it without the rows of tasks that are neither; one that is both comes again, in full.
const WAITING = `SELECT id, 0, NULL, finished_at FROM tasks INDEXED BY tasks_finished WHERE path IS NOT NULL AND finished_at IS NOT NULL
  UNION ALL SELECT id, held, retry_at, finished_at ${PUT_OFF}`;

const COUNTS = 'SELECT status, count(*) AS number FROM tasks WHERE path IS NOT NULL GROUP BY status';
const HELD = `${COLUMNS} ${PUT_OFF} AND held = 1`;
const RETRYING = `${COLUMNS} ${PUT_OFF} AND retry_at IS NOT NULL ORDER BY retry_at`;

function tasksInWait(db: Database): TasksInWait {
  const all = allOf(db);
  return {
    candidates: () => all(CANDIDATES),
    ownersOfOpen: () => (db.prepare(OWNERS_OF_OPEN).all() as Row[]).map((row) => row.owner as string | null),
    candidatesOf: (owner) => (db.prepare(`${CANDIDATES} AND owner IS ?`).all(owner) as Row[]).map(memoryOf),
    countByStatus() {
      const rows = db.prepare(COUNTS).all() as { status: Status; number: number }[];
      return new Map(rows.map(({ status, number }) => [status, number]));
    },
    withStatus: (statuses) =>
      statuses.flatMap((status) => all(`${SELECT} WHERE path IS NOT NULL AND status = ?`, status)),
    nextRetryAt: () => (db.prepare(NEXT_RETRY).get() as { at: number | null }).at,
    retriesDue(nowMs) {
      const rows = db.prepare(RETRIES_DUE).all(nowMs, LONGEST_RETRY_WAIT_MS) as Row[];
      return rows.map((row) => row.id as TaskId);
    },
    finishedBefore: (atMs) => all(`${SELECT} WHERE path IS NOT NULL AND finished_at < ?`, atMs),
    retrying: () => all(RETRYING) as ReturnType<TasksInWait['retrying']>,
    held: () => all(HELD),
    waiting() {
      const statement = db.prepare(WAITING);
      statement.setReturnArrays(true);
      const rows = statement.all() as unknown as [TaskId, number, number | null, number | null][];
      const waiting: ReturnType<TasksInWait['waiting']> = new Map();
      for (const row of rows)
        waiting.set(row[0], { held: row[1] === 1, retryAt: row[2], finishedAt: row[3] });
      return waiting;
    },
  };
}
