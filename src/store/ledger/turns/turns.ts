// Turns: each attempt at a thread, from its start to its end. What starts and what ends is one durable commit each.
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { TurnReason, TurnState } from '../../../core/rules/turn.ts';
import type { Database } from '../database.ts';
import { LET_PASS } from './limit-waits.ts';
import type { RequestsTable } from './requests.ts';
import { ADD_SPENT } from './spending.ts';
import { TURN_CALLS, TURNS, type TurnRecord, turnOf } from './turn-rows.ts';

export type { TurnRecord } from './turn-rows.ts';

/** What is known of a turn when it begins. */
export type TurnStart = Pick<
  TurnRecord,
  | 'id'
  | 'thread'
  | 'origin'
  | 'agent'
  | 'runner'
  | 'reasons'
  | 'attempt'
  | 'revision'
  | 'description'
  | 'outside'
  | 'askedAt'
  | 'startedAt'
> &
  Partial<Pick<TurnRecord, 'command'>>;

export interface TurnEnd {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  exitCode: number | null;
  signal: string | null;
  message: string;
  endedAt: number;
  /** With `rate_limited`: until when turns of its agent wait, epoch ms. */
  until?: number | null;
}

export interface TurnFilter {
  thread?: ThreadId;
  state?: TurnState;
  /** Only ended turns that the person was not told of (B7). */
  untold?: boolean;
  limit?: number;
}

// What a mirror held back for the turn is due.
const END_WAIT_OF_MIRROR = `UPDATE mirrors SET due_at = 0 WHERE due_at IS NOT NULL
  AND task = (SELECT substr(thread, length('task:local:') + 1) FROM turns WHERE id = ?)`;

const WROTE_NOTHING = `SELECT thread FROM turns AS silent WHERE reason = 'nothing_written' AND NOT EXISTS
  (SELECT 1 FROM turns WHERE thread = silent.thread AND started_at > silent.started_at)`;

const AGENTS_AT = `SELECT DISTINCT agent FROM turns WHERE started_at <= ? AND (ended_at IS NULL OR ended_at >= ?) ORDER BY agent`;

const PRUNE = `DELETE FROM turns WHERE id IN (SELECT id FROM (
    SELECT id, started_at, state, row_number() OVER (PARTITION BY thread ORDER BY started_at DESC) AS nth FROM turns)
  WHERE nth > ? AND started_at < ? AND state != 'running') RETURNING id`;

export function createTurnsTable(db: Database, requests: RequestsTable) {
  const turns = TURNS.in(db);
  const calls = TURN_CALLS.in(db);
  return {
    ...recordedTurns(db),
    /** Takes the request away and records the turn as running, in one commit. False when the request is gone. */
    begin: (turn: TurnStart): boolean =>
      db.transaction(() => {
        const { thread } = turn;
        if (!requests.drop(thread)) return false;
        turns.insert({ ...turn, state: 'running', toolCall: calls.get(thread)?.toolCall ?? null });
        calls.delete(thread);
        LET_PASS.in(db).delete(thread);
        return true;
      }),
    update: turns.update,
    /** An agent asked for the next turn of this thread, by that call; null: none did. */
    setToolCall(thread: ThreadId, toolCall: string | null): void {
      if (toolCall === null) calls.delete(thread);
      else calls.put({ thread, toolCall });
    },
    setReported: (id: TurnId) => turns.update(id, { reported: true }, 'reported = 0'),
    /** False when it had ended before. */
    end(id: TurnId, { until = null, ...end }: TurnEnd): boolean {
      const ended = turns.update(id, { ...end, limitedUntil: until }, "state = 'running'");
      if (ended) db.prepare(ADD_SPENT).run(id);
      db.prepare(END_WAIT_OF_MIRROR).run(id);
      return ended;
    },
    markTold: (ids: readonly TurnId[]) =>
      db.transaction(() => {
        for (const id of ids) turns.update(id, { told: true });
      }),
    /** Ended turns older than `beforeMs` beyond the newest `keep` of their thread; removes their rows. */
    prune: (beforeMs: number, keep: number) => db.column<TurnId>(PRUNE, keep, beforeMs),
  };
}

/** Found by the key that a reading holds where there is one: no reading is taken apart for it. */
const IS_ANY_BUDGET = `SELECT 1 FROM files INDEXED BY files_with_budget WHERE instr(reading, '"budget":') > 0 LIMIT 1`;
const WITH_BUDGET = `SELECT turns.id FROM turns CROSS JOIN tasks ON tasks.id = substr(thread, 12)
  CROSS JOIN files ON files.path = tasks.path
  WHERE state = 'running' AND thread GLOB 'task:local:*' AND instr(reading, '"budget":') > 0`;

/** Looking turns up. */
function recordedTurns(db: Database) {
  const turns = TURNS.in(db);
  const all = (rest: string, ...values: (string | number)[]) => turns.all(rest, ...values).map(turnOf);
  const apart = <T>(column: string, id: string) =>
    db.column<T | null>(`SELECT ${column} FROM turns WHERE id = ?`, id)[0] ?? null;
  return {
    get: (id: string) => all('WHERE id = ?', id)[0] ?? null,
    /** Null for a turn whose agent did not begin. */
    workHash: (id: string) => apart<string>('work_hash', id),
    /** Whether its agent changed anything by an operation of its own. */
    hasReported: (id: string) => apart('reported', id) === 1,
    /** Null for a turn that never had a secret. */
    tokenHash: (id: string) => apart<string>('token_hash', id),
    byPrefix: (prefix: string, limit: number) =>
      all('WHERE id >= ? AND id < ? LIMIT ?', prefix, `${prefix}\uffff`, limit),
    /** Newest first. */
    list({ thread, state, untold, limit }: TurnFilter): TurnRecord[] {
      const fresh = untold ? "told = 0 AND state != 'running'" : '';
      const where = [thread ? 'thread = ?' : '', state ? 'state = ?' : '', fresh].filter(Boolean);
      const filter = where.length > 0 ? `WHERE ${where.join(' AND ')}` : '';
      const values = [thread, state].filter((value) => value !== undefined);
      return all(`${filter} ORDER BY started_at DESC, id LIMIT ?`, ...values, limit ?? 100);
    },
    running: () => all("WHERE state = 'running' ORDER BY started_at"),
    /** Of the turns that run, those of tasks whose own file names a budget. */
    runningWithBudget: () => (db.column(IS_ANY_BUDGET).length === 0 ? [] : db.column<TurnId>(WITH_BUDGET)),
    runningOn: (thread: ThreadId) => all("WHERE state = 'running' AND thread = ?", thread)[0] ?? null,
    /** Whose turns ran at that moment, epoch ms. */
    agentsAt: (atMs: number) => db.column<string>(AGENTS_AT, Math.ceil(atMs), Math.floor(atMs)),
    /** Threads whose newest turn wrote nothing. */
    wroteNothing: () => db.column<ThreadId>(WROTE_NOTHING),
  };
}
