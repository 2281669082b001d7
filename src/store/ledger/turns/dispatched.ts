// Turns that were sent to workers: the job each is in the queue, who has it at which attempt, which reports of that attempt
// were applied, and how the worker said it ended. Loaded by what dispatches and shows workers alone; rows are JSON.
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
  /** Turns that run. */
  out(): DispatchedRow[];
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

const PUT =
  'INSERT INTO dispatched(turn, row) VALUES(?, ?) ON CONFLICT(turn) DO UPDATE SET row = excluded.row';

export function createDispatchedTable(db: Database): DispatchedTable {
  const get = db.keep('dispatched', 'turn', (turn): DispatchedRow | null => {
    const found = db.prepare('SELECT row FROM dispatched WHERE turn = ?').get(turn) as Row | undefined;
    return found === undefined ? null : JSON.parse(String(found.row));
  });
  const put = (row: DispatchedRow) => void db.prepare(PUT).run(row.turn, JSON.stringify(row));
  const change = (turn: string, changes: Partial<DispatchedRow>) => {
    const row = get(turn);
    if (row !== null) put({ ...row, ...changes });
  };
  return {
    add: (turn, job) =>
      put({ turn, job, attempt: null, worker: null, applied: 0, answers: null, ended: null }),
    get,
    claim: (turn, attempt, worker) => change(turn, { attempt, worker, applied: 0, answers: null }),
    leave: (turn) => change(turn, { worker: null }),
    applied: (turn, applied, answers) => change(turn, { applied, answers }),
    end: (turn, ended) => change(turn, { ended }),
    out() {
      const sql =
        "SELECT row FROM dispatched JOIN turns ON turns.id = turn WHERE state = 'running' ORDER BY turn";
      const rows = db.prepare(sql).all() as Row[];
      return rows.map(({ row }) => JSON.parse(String(row)) as DispatchedRow);
    },
    prune() {
      db.prepare('DELETE FROM dispatched WHERE turn NOT IN (SELECT id FROM turns)').run();
    },
  };
}

export function createWorkersTable(db: Database): WorkersTable {
  return {
    put(worker) {
      const row = JSON.stringify(worker);
      const sql = 'INSERT OR REPLACE INTO workers(id, row, seen_at) VALUES(?, ?, ?)';
      db.prepare(sql).run(worker.id, row, Math.trunc(worker.seenAt));
    },
    get: db.keep('workers', 'id', (id) => {
      const found = db.prepare('SELECT row, seen_at FROM workers WHERE id = ?').get(id) as Row | undefined;
      return found === undefined ? null : workerOf(found);
    }),
    list() {
      const workers = (db.prepare('SELECT row, seen_at FROM workers').all() as Row[]).map(workerOf);
      return workers.sort((a, b) => (a.name + a.id < b.name + b.id ? -1 : 1));
    },
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

function workerOf(found: Row): WorkerRow {
  return { ...JSON.parse(String(found.row)), seenAt: Number(found.seen_at) };
}
