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
    ...dispatched,
    add: (turn: string, job: string) =>
      dispatched.put({ turn, job, attempt: null, worker: null, applied: 0, answers: null, ended: null }),
    /** An attempt begins: nothing of it is applied yet. */
    claim: (turn: string, attempt: number, worker: string): void =>
      void dispatched.update(turn, { attempt, worker, applied: 0, answers: null }),
    /** Turns that run. */
    out: () => db.prepare(OUT).all() as unknown as DispatchedRow[],
    /** Removes what belongs to no turn any more. */
    prune: () => dispatched.deleteAll('WHERE turn NOT IN (SELECT id FROM turns)'),
  };
}

export function createWorkersTable(db: Database) {
  const workers = WORKERS.in(db);
  return {
    ...workers,
    /** By name. */
    list: () => workers.all('').sort((a, b) => (a.name + a.id < b.name + b.id ? -1 : 1)),
    /** Removes those that were not seen since. */
    prune: (beforeMs: number) => workers.deleteAll('WHERE seen_at < ?', Math.trunc(beforeMs)),
  };
}
