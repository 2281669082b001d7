// Turns that were sent to workers: the job each is in the queue, who has it at which attempt, which reports of that attempt
// were applied, and how the worker said it ended. Loaded by what dispatches and shows workers alone.
import type { Database } from '../database.ts';
import { initially, integer, json, optional, type RowOf, table, text } from '../table.ts';

export const DISPATCHED = table('dispatched', {
  turn: text(),
  /** UUID of its job. */
  job: text(),
  /** Null until somebody claimed it. */
  attempt: optional(integer()),
  /** Id of the worker that has it now; null while it waits. */
  worker: optional(text()),
  /** How many reports of this attempt were applied. */
  applied: initially(integer(), 0),
  /** Answers to the last of them, JSON. */
  answers: optional(text()),
  /** The outcome that the worker told, JSON. */
  ended: optional(text()),
});

export const WORKERS = table('workers', {
  id: text(),
  name: text(),
  /** Id of the token it came with. */
  token: text(),
  version: text(),
  slots: integer(),
  /** What it can run. */
  agents: json<string[]>(),
  startedAt: integer(),
  seenAt: integer(),
  /** When its request for news was cut off; null while it is heard of. */
  goneAt: optional(integer()),
  /** Why it is offered nothing; null for nothing. */
  trouble: optional(text()),
});

export type DispatchedRow = RowOf<typeof DISPATCHED>;
export type WorkerRow = RowOf<typeof WORKERS>;
export type DispatchedTable = ReturnType<typeof createDispatchedTable>;
export type WorkersTable = ReturnType<typeof createWorkersTable>;

const OUT = `SELECT ${DISPATCHED.columns('dispatched')} FROM dispatched JOIN turns ON turns.id = turn
  WHERE state = 'running' ORDER BY turn`;

export function createDispatchedTable(db: Database) {
  const dispatched = DISPATCHED.in(db);
  return {
    add: (turn: string, job: string) =>
      dispatched.put({ turn, job, attempt: null, worker: null, applied: 0, answers: null, ended: null }),
    get: db.keep('dispatched', 'turn', (turn) => dispatched.get(turn)),
    /** An attempt begins: nothing of it is applied yet. */
    claim: (turn: string, attempt: number, worker: string): void =>
      void dispatched.update(turn, { attempt, worker, applied: 0, answers: null }),
    /** Its worker gave it back. */
    leave: (turn: string): void => void dispatched.update(turn, { worker: null }),
    applied: (turn: string, applied: number, answers: string): void =>
      void dispatched.update(turn, { applied, answers }),
    end: (turn: string, ended: string): void => void dispatched.update(turn, { ended }),
    /** Turns that run. */
    out: () => db.prepare(OUT).all() as unknown as DispatchedRow[],
    /** Removes what belongs to no turn any more. */
    prune(): void {
      db.prepare('DELETE FROM dispatched WHERE turn NOT IN (SELECT id FROM turns)').run();
    },
  };
}

export function createWorkersTable(db: Database) {
  const workers = WORKERS.in(db);
  return {
    put: (worker: WorkerRow) => workers.put(worker),
    get: db.keep('workers', 'id', (id) => workers.get(id)),
    /** By name. */
    list: () => workers.all('').sort((a, b) => (a.name + a.id < b.name + b.id ? -1 : 1)),
    seen: (id: string, atMs: number): void => void workers.update(id, { seenAt: atMs, goneAt: null }),
    gone: (id: string, atMs: number): void => void workers.update(id, { goneAt: atMs }),
    setTrouble: (id: string, trouble: string | null): void => void workers.update(id, { trouble }),
    remove: (id: string): void => void workers.delete(id),
    /** Removes those that were not seen since. */
    prune: (beforeMs: number): void =>
      void db.prepare('DELETE FROM workers WHERE seen_at < ?').run(Math.trunc(beforeMs)),
  };
}
