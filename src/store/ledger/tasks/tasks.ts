// What was last observed of each task, what a turn consumed, failed attempts. Rows are never deleted, so that no id is used twice (S7).
import type { TaskId } from '../../../core/ids.ts';
import { LONGEST_RETRY_WAIT_MS } from '../../../core/rules/waits.ts';
import type { Status } from '../../../core/task/status.ts';
import { flag, initially, integer, optional, type RowOf, table, text } from '../table.ts';

export const TASKS = table(
  'tasks',
  {
    id: text<TaskId>(),
    path: optional(text()), // Where its file was last seen; null when the file is gone.
    name: text(),
    title: optional(text()),
    hash: text(),
    revision: text(),
    status: text<Status>(),
    paused: flag(),
    owner: optional(text()), // As written, null for the room's default agent.
    forRunbook: flag(), // It has what a runbook runs, and may run.
    priority: integer(), // 0 high, 1 medium, 2 low.
    parent: optional(text()),
    consumed: optional(text()), // Revision that a turn consumed last.
    attempted: optional(text()), // Revision of the last failed attempt; an edit after it is tried at once.
    attempts: initially(integer(), 0),
    retryAt: optional(integer()),
    held: initially(flag(), false),
    loops: initially(integer(), 0), // Turns in a row without outside input.
    blocked: initially(flag(), false),
    finishedAt: optional(integer()),
    goneAt: optional(integer()),
    archived: optional(text()),
    seenAt: integer(),
  },
  {
    hasRowid: true,
    indexes: {
      tasks_by_path: '(path) WHERE path IS NOT NULL',
      tasks_absent: '(name) WHERE path IS NULL',
      tasks_by_parent: '(parent) WHERE parent IS NOT NULL',
      tasks_by_status: '(status, paused) WHERE path IS NOT NULL',
      tasks_open: "(status) WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0",
      tasks_open_by_owner: "(owner) WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0",
      tasks_finished: '(finished_at, id) WHERE path IS NOT NULL AND finished_at IS NOT NULL',
      tasks_put_off: '(id) WHERE path IS NOT NULL AND (held = 1 OR retry_at IS NOT NULL)',
    },
  },
);

export type TaskMemory = RowOf<typeof TASKS>;

const STATUSES_OF_ABSENT = `SELECT id AS word, status, 1 AS rank FROM tasks WHERE id IN (SELECT value FROM json_each(?1))
  UNION ALL SELECT name, status, 0 FROM tasks
    WHERE path IS NULL AND archived IS NOT NULL AND name IN (SELECT value FROM json_each(?1)) ORDER BY rank`;
/** The few that wait, without a look at the others: each pass of the pulse asks for them. */
const PUT_OFF = `INDEXED BY tasks_put_off WHERE path IS NOT NULL AND (held = 1 OR retry_at IS NOT NULL)`;
const CANDIDATES = `WHERE path IS NOT NULL AND (
  (status IN ('todo', 'doing') AND paused = 0 AND consumed IS NOT revision) OR id IN (SELECT task FROM wakes)
  OR id IN (SELECT id FROM tasks ${PUT_OFF}))`;
const OWNERS_OF_OPEN = `SELECT DISTINCT owner FROM tasks INDEXED BY tasks_open_by_owner
  WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND paused = 0`;
// A time further away than any wait was set before the clock went back: it is due.
const RETRIES_DUE = `SELECT id FROM tasks ${PUT_OFF} AND (retry_at <= ?1 OR retry_at > ?1 + ?2)`;
// Two indexes answer it without the rows of tasks in neither; a task in both appears twice, and its later row is complete.
const WAITING = `SELECT id, 0, NULL, finished_at FROM tasks INDEXED BY tasks_finished WHERE path IS NOT NULL AND finished_at >= ?
  UNION ALL SELECT id, held, retry_at, finished_at FROM tasks ${PUT_OFF}`;
const COUNTS = 'SELECT status, paused, count(*) FROM tasks WHERE path IS NOT NULL GROUP BY status, paused';

export const tasks = TASKS.with((rows, db) => ({
  byPath: (path: string) => rows.first({ path }),
  // The name is the file's: this way it needs no index of its own.
  byName: (name: string) => rows.first({ path: `tasks/${name}.md` }),
  archivedByName: (name: string) =>
    rows.all('WHERE name = ? AND path IS NULL AND archived IS NOT NULL ORDER BY finished_at DESC', name),
  /** Tasks without a file: archived, deleted, or not there at the last look. */
  absent: () =>
    db.rows<Pick<TaskMemory, 'id' | 'name' | 'title'> & { path: null }>(
      'SELECT id, name, title, path FROM tasks WHERE path IS NULL',
    ),
  /** Status by id, and by name of what lies in the archive, of tasks without a file. */
  statusesOfAbsent(refs: readonly string[]): Map<string, Status> {
    const found = db.rows<{ word: string; status: Status }>(STATUSES_OF_ABSENT, JSON.stringify(refs));
    return new Map(found.map(({ word, status }) => [word, status]));
  },
  /** When each with a file was first seen, epoch ms. */
  firstSeen: () =>
    new Map(db.arrays<[TaskId, number]>('SELECT id, seen_at FROM tasks WHERE path IS NOT NULL')),
  /** Tasks that may be due: open, not paused, with an unconsumed revision; and all with a wake or a retry. */
  candidates: () => rows.all(CANDIDATES),
  /** Owners of open tasks that are not paused; null stands for the default agent. */
  ownersOfOpen: () => db.column<string | null>(OWNERS_OF_OPEN),
  notForRunbook: () =>
    db.column<TaskId>(
      "SELECT id FROM tasks WHERE path IS NOT NULL AND status IN ('todo', 'doing') AND for_runbook = 0",
    ),
  candidatesOf: (owner: string | null) => rows.all(`${CANDIDATES} AND owner IS ?`, owner),
  /** How many with a file there are of each status, paused ones apart. */
  counted: () =>
    db
      .arrays<[Status, number, number]>(COUNTS)
      .map(([status, paused, number]) => ({ status, paused: paused === 1, number })),
  withStatus: (statuses: readonly Status[]) =>
    statuses.flatMap((status) => rows.all('WHERE path IS NOT NULL AND status = ?', status)),
  nextRetryAt: () => db.column<number | null>(`SELECT min(retry_at) FROM tasks ${PUT_OFF}`)[0] ?? null,
  retriesDue: (nowMs: number) => db.column<TaskId>(RETRIES_DUE, nowMs, LONGEST_RETRY_WAIT_MS),
  finishedBefore: (atMs: number) => rows.all('WHERE path IS NOT NULL AND finished_at < ?', atMs),
  held: () => rows.all(`${PUT_OFF} AND held = 1`),
  retrying: () =>
    rows.all(`${PUT_OFF} AND retry_at IS NOT NULL ORDER BY retry_at`) as (TaskMemory & { retryAt: number })[],
  /** Tasks that are held, wait for a retry or were finished at that time or later. */
  waiting(finishedFrom: number): Map<TaskId, Pick<TaskMemory, 'held' | 'retryAt' | 'finishedAt'>> {
    const found = db.arrays<[TaskId, number, number | null, number | null]>(WAITING, finishedFrom);
    return new Map(
      found.map(([id, held, retryAt, finishedAt]) => [id, { held: held === 1, retryAt, finishedAt }]),
    );
  },
}));
