// Turns: each attempt at a thread, from its start to its end. What starts and what ends is one durable commit each.
import type { Origin } from '../../../core/config/room-config.ts';
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { TurnReason, TurnState, TurnUsage } from '../../../core/rules/turn.ts';
import type { Database, Row } from '../database.ts';
import type { RequestsTable } from './requests.ts';
import { ADD_SPENT } from './spending.ts';

/** One attempt (B1, B7). Times are epoch ms. */
export interface TurnRecord {
  id: TurnId;
  thread: ThreadId;
  origin: Origin;
  agent: string;
  runner: string;
  state: TurnState;
  reason: TurnReason | null;
  reasons: Wake[];
  attempt: number;
  revision: string;
  description: string;
  /** What its agent runs; null where that is no program. */
  command: string | null;
  outside: boolean;
  askedAt: number;
  /** Of a pending one when it was asked for. */
  startedAt: number;
  endedAt: number | null;
  pausedMs: number;
  exitCode: number | null;
  signal: string | null;
  pid: number | null;
  message: string | null;
  toolCall: string | null;
  told: boolean;
  /** What its agent said it used; null where it did not tell. */
  usage: TurnUsage | null;
  /** Until when its agent's usage limit lasts that ended it, epoch ms. */
  limitedUntil: number | null;
}

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

export interface TurnsTable extends RecordedTurns {
  /** Takes the request away and records the turn as running, in one commit. False when the request is gone. */
  begin(turn: TurnStart): boolean;
  setPid(id: TurnId, pid: number | null): void;
  /** Keeps how long the machine slept while it ran. */
  setPaused(id: TurnId, pausedMs: number): void;
  /** An agent asked for the next turn of this thread, by that call; null: none did. */
  setToolCall(thread: ThreadId, toolCall: string | null): void;
  /** Keeps the hash of the secret that the turn's agent reports with. */
  setTokenHash(id: TurnId, hash: string): void;
  /** Keeps the hash of what the task's file said of the work when the turn's agent began. */
  setWorkHash(id: TurnId, hash: string): void;
  setReported(id: TurnId): void;
  /** False when it had ended before. */
  end(id: TurnId, end: TurnEnd): boolean;
  markTold(ids: readonly TurnId[]): void;
  /** Ended turns older than `beforeMs` beyond the newest `keep` of their thread; removes their rows. */
  prune(beforeMs: number, keep: number): TurnId[];
}

/** Looking turns up. */
interface RecordedTurns {
  get(id: string): TurnRecord | null;
  /** Null for a turn that never had a secret. */
  tokenHash(id: string): string | null;
  /** Null for a turn whose agent did not begin. */
  workHash(id: string): string | null;
  /** Whether its agent changed anything by an operation of its own. */
  hasReported(id: string): boolean;
  byPrefix(prefix: string, limit: number): TurnRecord[];
  /** Newest first. */
  list(filter: TurnFilter): TurnRecord[];
  running(): TurnRecord[];
  /** Of the turns that run, those of tasks whose own file names a budget. */
  runningWithBudget(): TurnId[];
  runningOn(thread: ThreadId): TurnRecord | null;
  /** Threads whose newest turn wrote nothing. */
  wroteNothing(): ThreadId[];
  /** Whose turns ran at that moment, epoch ms. */
  agentsAt(atMs: number): string[];
}

const SELECT = `SELECT id, thread, origin, agent, runner, state, reason, reasons, attempt, revision, description, command,
  outside, asked_at AS askedAt, started_at AS startedAt, ended_at AS endedAt, paused_ms AS pausedMs, exit_code AS exitCode, signal,
  pid, message, tool_call AS toolCall, told, input_tokens, output_tokens, cost_usd, limited_until AS limitedUntil FROM turns`;

const BEGIN = `INSERT INTO turns(id, thread, origin, agent, runner, state, reasons, attempt, revision, description,
  command, outside, asked_at, started_at) VALUES(?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?)`;

const END = `UPDATE turns SET state = ?, reason = ?, exit_code = ?, signal = ?, message = ?, ended_at = ?, limited_until = ?
  WHERE state = 'running' AND id = ?`;
// What a mirror held back for the turn is due.
const END_WAIT_OF_MIRROR = `UPDATE mirrors SET due_at = 0 WHERE due_at IS NOT NULL
  AND task = (SELECT substr(thread, length('task:local:') + 1) FROM turns WHERE id = ?)`;

const WROTE_NOTHING = `SELECT thread FROM turns AS silent WHERE reason = 'nothing_written' AND NOT EXISTS
  (SELECT 1 FROM turns WHERE thread = silent.thread AND started_at > silent.started_at)`;

const TAKE_CALL = `UPDATE turns SET tool_call = (SELECT tool_call FROM turn_calls WHERE thread = ?) WHERE id = ?`;
const AGENTS_AT = `SELECT DISTINCT agent FROM turns WHERE started_at <= ? AND (ended_at IS NULL OR ended_at >= ?) ORDER BY agent`;

const PRUNE = `DELETE FROM turns WHERE id IN (SELECT id FROM (
    SELECT id, started_at, state, row_number() OVER (PARTITION BY thread ORDER BY started_at DESC) AS nth FROM turns)
  WHERE nth > ? AND started_at < ? AND state != 'running') RETURNING id`;

function turnOf(row: Row): TurnRecord {
  const { input_tokens, output_tokens, cost_usd, ...same } = row;
  const usage =
    input_tokens === null
      ? null
      : { inputTokens: input_tokens, outputTokens: output_tokens, costUsd: cost_usd };
  const fields = {
    reasons: JSON.parse(row.reasons as string),
    told: row.told === 1,
    outside: row.outside === 1,
    usage,
  };
  return { ...same, ...fields } as unknown as TurnRecord;
}

export function createTurnsTable(db: Database, requests: RequestsTable): TurnsTable {
  return {
    ...recordedTurns(db),
    begin(turn) {
      const { id, thread, origin, agent, runner, attempt, revision, askedAt, startedAt } = turn;
      const { description, command = null } = turn;
      return db.transaction(() => {
        if (!requests.drop(thread)) return false;
        const who = [id, thread, origin, agent, runner, JSON.stringify(turn.reasons)];
        const what = [attempt, revision, description, command, Number(turn.outside), askedAt, startedAt];
        db.prepare(BEGIN).run(...who, ...what);
        db.prepare('DELETE FROM let_pass WHERE thread = ?').run(thread);
        db.prepare(TAKE_CALL).run(thread, id);
        db.prepare('DELETE FROM turn_calls WHERE thread = ?').run(thread);
        return true;
      });
    },
    setPid(id, pid) {
      db.prepare('UPDATE turns SET pid = ? WHERE id = ?').run(pid, id);
    },
    setPaused(id, pausedMs) {
      db.prepare('UPDATE turns SET paused_ms = ? WHERE id = ?').run(Math.trunc(pausedMs), id);
    },
    setToolCall(thread, toolCall) {
      if (toolCall === null) db.prepare('DELETE FROM turn_calls WHERE thread = ?').run(thread);
      else
        db.prepare('INSERT OR REPLACE INTO turn_calls(thread, tool_call) VALUES(?, ?)').run(thread, toolCall);
    },
    setWorkHash: (id, hash) => void db.prepare('UPDATE turns SET file_hash = ? WHERE id = ?').run(hash, id),
    setReported: (id) =>
      void db.prepare('UPDATE turns SET reported = 1 WHERE id = ? AND reported = 0').run(id),
    setTokenHash(id, hash) {
      db.prepare('UPDATE turns SET token_hash = ? WHERE id = ?').run(hash, id);
    },
    end(id, { state, reason, exitCode, signal, message, endedAt, until = null }) {
      const { changes } = db.prepare(END).run(state, reason, exitCode, signal, message, endedAt, until, id);
      if (changes === 1) db.prepare(ADD_SPENT).run(id);
      db.prepare(END_WAIT_OF_MIRROR).run(id);
      return changes === 1;
    },
    markTold(ids) {
      db.transaction(() => {
        for (const id of ids) db.prepare('UPDATE turns SET told = 1 WHERE id = ?').run(id);
      });
    },
    prune: (beforeMs, keep) =>
      (db.prepare(PRUNE).all(keep, beforeMs) as Row[]).map((row) => row.id as TurnId),
  };
}

/** Found by the key that a reading holds where there is one: no reading is taken apart for it. */
const IS_ANY_BUDGET = `SELECT 1 FROM files INDEXED BY files_with_budget WHERE instr(reading, '"budget":') > 0 LIMIT 1`;
const WITH_BUDGET = `SELECT turns.id FROM turns CROSS JOIN tasks ON tasks.id = substr(thread, 12)
  CROSS JOIN files ON files.path = tasks.path
  WHERE state = 'running' AND thread GLOB 'task:local:*' AND instr(reading, '"budget":') > 0`;

function recordedTurns(db: Database): RecordedTurns {
  const turns = (sql: string, ...values: (string | number)[]) =>
    (db.prepare(sql).all(...values) as Row[]).map(turnOf);
  const one = (sql: string, value: string): TurnRecord | null => turns(sql, value)[0] ?? null;
  return {
    get: db.keep('turns', 'id', (id) => one(`${SELECT} WHERE id = ?`, id)),
    workHash(id) {
      const row = db.prepare('SELECT file_hash FROM turns WHERE id = ?').get(id) as Row | undefined;
      return (row?.file_hash ?? null) as string | null;
    },
    hasReported: (id) =>
      db.prepare('SELECT 1 FROM turns WHERE id = ? AND reported = 1').get(id) !== undefined,
    tokenHash(id) {
      const row = db.prepare('SELECT token_hash FROM turns WHERE id = ?').get(id) as Row | undefined;
      return (row?.token_hash as string | null | undefined) ?? null;
    },
    byPrefix: (prefix, limit) =>
      turns(`${SELECT} WHERE id >= ? AND id < ? LIMIT ?`, prefix, `${prefix}\uffff`, limit),
    list({ thread, state, untold, limit }) {
      const fresh = untold ? "told = 0 AND state != 'running'" : '';
      const where = [thread ? 'thread = ?' : '', state ? 'state = ?' : '', fresh].filter(Boolean);
      const filter = where.length > 0 ? `WHERE ${where.join(' AND ')}` : '';
      const values = [thread, state].filter((value) => value !== undefined);
      return turns(`${SELECT} ${filter} ORDER BY started_at DESC, id LIMIT ?`, ...values, limit ?? 100);
    },
    running: () => turns(`${SELECT} WHERE state = 'running' ORDER BY started_at`),
    runningWithBudget() {
      if (db.prepare(IS_ANY_BUDGET).get() === undefined) return [];
      return (db.prepare(WITH_BUDGET).all() as Row[]).map((row) => row.id as TurnId);
    },
    runningOn: (thread) => one(`${SELECT} WHERE state = 'running' AND thread = ?`, thread),
    agentsAt: (atMs) =>
      (db.prepare(AGENTS_AT).all(Math.ceil(atMs), Math.floor(atMs)) as Row[]).map(
        (row) => row.agent as string,
      ),
    wroteNothing: () => (db.prepare(WROTE_NOTHING).all() as Row[]).map((row) => row.thread as ThreadId),
  };
}
