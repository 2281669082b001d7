// Turns that were sent to workers: the job each is in the queue, who has it at which attempt, which reports of that attempt
// were applied, and how the worker said it ended. Loaded by what dispatches and shows workers alone.
import type { Database, Row } from '../database.ts';

export interface DispatchedRow {
  turn: string;
  /** UUID of its job. */
  job: string;
  /** Null until somebody claimed it. */
  attempt: number | null;
  /** Id of the worker that has it now; null while it waits. */
  worker: string | null;
  /** How many reports of this attempt were applied. */
  applied: number;
  /** Answers to the last of them, JSON. */
  answers: string | null;
  /** The outcome that the worker told, JSON. */
  ended: string | null;
}

export interface WorkerRow {
  id: string;
  name: string;
  /** Id of the token it came with. */
  token: string;
  version: string;
  slots: number;
  /** What it can run. */
  agents: string[];
  startedAt: number;
  seenAt: number;
}

export interface DispatchedTable {
  add(turn: string, job: string): void;
  get(turn: string): DispatchedRow | null;
  /** An attempt begins: nothing of it is applied yet. */
  claim(turn: string, attempt: number, worker: string): void;
  /** Its worker gave it back. */
  leave(turn: string): void;
  applied(turn: string, count: number, answers: string): void;
  end(turn: string, outcome: string): void;
  /** Turns that run, with the worker each is at; null where it waits for one. */
  out(): { turn: string; worker: string | null }[];
  /** Removes what belongs to no turn any more. */
  prune(): void;
}

export interface WorkersTable {
  put(worker: WorkerRow): void;
  get(id: string): WorkerRow | null;
  /** By name. */
  list(): WorkerRow[];
  seen(id: string, atMs: number): void;
  remove(id: string): void;
  /** Removes those that were not seen since. */
  prune(beforeMs: number): void;
}

export function createDispatchedTable(db: Database): DispatchedTable {
  return {
    add(turn, job) {
      db.prepare('INSERT INTO dispatched(turn, job, applied) VALUES(?, ?, 0)').run(turn, job);
    },
    get: (turn) =>
      (db.prepare('SELECT * FROM dispatched WHERE turn = ?').get(turn) as unknown as DispatchedRow) ?? null,
    claim(turn, attempt, worker) {
      const sql = 'UPDATE dispatched SET attempt = ?, worker = ?, applied = 0, answers = NULL WHERE turn = ?';
      db.prepare(sql).run(attempt, worker, turn);
    },
    leave(turn) {
      db.prepare('UPDATE dispatched SET worker = NULL WHERE turn = ?').run(turn);
    },
    applied(turn, count, answers) {
      db.prepare('UPDATE dispatched SET applied = ?, answers = ? WHERE turn = ?').run(count, answers, turn);
    },
    end(turn, outcome) {
      db.prepare('UPDATE dispatched SET ended = ? WHERE turn = ?').run(outcome, turn);
    },
    out() {
      const sql =
        "SELECT turn, worker FROM dispatched JOIN turns ON turns.id = turn WHERE state = 'running' ORDER BY turn";
      return db.prepare(sql).all() as { turn: string; worker: string | null }[];
    },
    prune() {
      db.prepare('DELETE FROM dispatched WHERE turn NOT IN (SELECT id FROM turns)').run();
    },
  };
}

const WORKER = 'id, name, token, version, slots, agents, started_at AS startedAt, seen_at AS seenAt';

export function createWorkersTable(db: Database): WorkersTable {
  return {
    put({ id, name, token, version, slots, agents, startedAt, seenAt }) {
      const sql = 'INSERT OR REPLACE INTO workers VALUES(?, ?, ?, ?, ?, ?, ?, ?)';
      const [started, seen] = [Math.trunc(startedAt), Math.trunc(seenAt)];
      db.prepare(sql).run(id, name, token, version, slots, JSON.stringify(agents), started, seen);
    },
    get(id) {
      const row = db.prepare(`SELECT ${WORKER} FROM workers WHERE id = ?`).get(id) as Row | undefined;
      return row === undefined ? null : workerOf(row);
    },
    list: () => (db.prepare(`SELECT ${WORKER} FROM workers ORDER BY name, id`).all() as Row[]).map(workerOf),
    seen(id, atMs) {
      db.prepare('UPDATE workers SET seen_at = ? WHERE id = ?').run(Math.trunc(atMs), id);
    },
    remove(id) {
      db.prepare('DELETE FROM workers WHERE id = ?').run(id);
    },
    prune(beforeMs) {
      db.prepare('DELETE FROM workers WHERE seen_at < ?').run(Math.trunc(beforeMs));
    },
  };
}

function workerOf(row: Row): WorkerRow {
  return { ...row, agents: JSON.parse(String(row.agents)) } as unknown as WorkerRow;
}
