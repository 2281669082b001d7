// Turns: each attempt at a thread, from its start to its end. What starts and what ends is one durable commit each.
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { TurnReason, TurnState } from '../../../core/rules/turn.ts';
import type { Database } from '../database.ts';
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

const END = `UPDATE turns SET state = ?, reason = ?, exit_code = ?, signal = ?, message = ?, ended_at = ?, limited_until = ?
  WHERE state = 'running' AND id = ?`;
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
        db.prepare('DELETE FROM let_pass WHERE thread = ?').run(thread);
        return true;
      }),
    setPid: (id: TurnId, pid: number | null): void => void turns.update(id, { pid }),
    /** Keeps how long the machine slept while it ran. */
    setPaused: (id: TurnId, pausedMs: number): void => void turns.update(id, { pausedMs }),
    /** An agent asked for the next turn of this thread, by that call; null: none did. */
    setToolCall(thread: ThreadId, toolCall: string | null): void {
      if (toolCall === null) calls.delete(thread);
      else calls.put({ thread, toolCall });
    },
    /** Keeps the hash of what the task's file said of the work when the turn's agent began. */
    setWorkHash: (id: TurnId, workHash: string): void => void turns.update(id, { workHash }),
    setReported(id: TurnId): void {
      db.prepare('UPDATE turns SET reported = 1 WHERE id = ? AND reported = 0').run(id);
    },
    /** Keeps the hash of the secret that the turn's agent reports with. */
    setTokenHash: (id: TurnId, tokenHash: string): void => void turns.update(id, { tokenHash }),
    /** False when it had ended before. */
    end(id: TurnId, { state, reason, exitCode, signal, message, endedAt, until = null }: TurnEnd): boolean {
      const { changes } = db.prepare(END).run(state, reason, exitCode, signal, message, endedAt, until, id);
      if (changes === 1) db.prepare(ADD_SPENT).run(id);
      db.prepare(END_WAIT_OF_MIRROR).run(id);
      return changes === 1;
    },
    markTold: (ids: readonly TurnId[]) =>
      db.transaction(() => {
        for (const id of ids) turns.update(id, { told: true });
      }),
    /** Ended turns older than `beforeMs` beyond the newest `keep` of their thread; removes their rows. */
    prune: (beforeMs: number, keep: number) =>
      (db.prepare(PRUNE).all(keep, beforeMs) as { id: TurnId }[]).map(({ id }) => id),
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
  const apart = (column: string, id: string): string | null => {
    const sql = `SELECT ${column} AS value FROM turns WHERE id = ?`;
    return (db.prepare(sql).get(id) as { value: string | null } | undefined)?.value ?? null;
  };
  return {
    get: db.keep('turns', 'id', (id) => all('WHERE id = ?', id)[0] ?? null),
    /** Null for a turn whose agent did not begin. */
    workHash: (id: string) => apart('work_hash', id),
    /** Whether its agent changed anything by an operation of its own. */
    hasReported: (id: string) =>
      db.prepare('SELECT 1 FROM turns WHERE id = ? AND reported = 1').get(id) !== undefined,
    /** Null for a turn that never had a secret. */
    tokenHash: (id: string) => apart('token_hash', id),
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
    runningWithBudget(): TurnId[] {
      if (db.prepare(IS_ANY_BUDGET).get() === undefined) return [];
      return (db.prepare(WITH_BUDGET).all() as { id: TurnId }[]).map(({ id }) => id);
    },
    runningOn: (thread: ThreadId) => all("WHERE state = 'running' AND thread = ?", thread)[0] ?? null,
    /** Whose turns ran at that moment, epoch ms. */
    agentsAt: (atMs: number) =>
      (db.prepare(AGENTS_AT).all(Math.ceil(atMs), Math.floor(atMs)) as { agent: string }[]).map(
        ({ agent }) => agent,
      ),
    /** Threads whose newest turn wrote nothing. */
    wroteNothing: () =>
      (db.prepare(WROTE_NOTHING).all() as { thread: ThreadId }[]).map(({ thread }) => thread),
  };
}
