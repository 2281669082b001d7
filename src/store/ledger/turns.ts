// Requests (turns asked for, one a thread) and turns (attempts, with their end). Each change is one durable commit.

import type { Origin } from '../../core/config/room-config.ts';
import type { ThreadId, TurnId } from '../../core/ids.ts';
import type { Wake } from '../../core/rules/decide.ts';
import type { TurnReason, TurnState } from '../../core/rules/turn.ts';
import type { Database, Row } from './database.ts';

/** A turn that is asked for and not started. */
export interface TurnRequest {
  thread: ThreadId;
  origin: Origin;
  agent: string;
  reasons: Wake[];
  /** 0 high, 1 medium, 2 low. */
  priority: number;
  askedAt: number;
  /** Run although paused, blocked, draft or consumed. */
  forced: boolean;
  /** True when a person, another task or a trusted remote caused it, not the thread's own last turn or the heartbeat. */
  outside: boolean;
}

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
  outside: boolean;
  askedAt: number;
  startedAt: number;
  endedAt: number | null;
  pausedMs: number;
  exitCode: number | null;
  signal: string | null;
  pid: number | null;
  message: string | null;
  toolCall: string | null;
  told: boolean;
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
>;

export interface TurnEnd {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  exitCode: number | null;
  signal: string | null;
  message: string;
  endedAt: number;
}

/** What may not be started now; the rest is fair game, best first. */
export interface ClaimFilter {
  fullOrigins: readonly Origin[];
  fullAgents: readonly string[];
  /** Threads that are taken though no turn of theirs is on record yet. */
  busyThreads: readonly ThreadId[];
}

export interface TurnFilter {
  thread?: ThreadId;
  state?: TurnState;
  /** Only ended turns that the person was not told of (B7). */
  untold?: boolean;
  limit?: number;
}

export interface TurnsTable {
  /** Adds a request or coalesces into the pending one: reasons join, the higher priority and `forced` win. */
  request(request: TurnRequest): void;
  pending(thread: ThreadId): TurnRequest | null;
  countPending(): number;
  listPending(limit: number): TurnRequest[];
  dropRequest(thread: ThreadId): boolean;
  /** The best request whose thread has no running turn: origin, then priority, then age (T12). */
  next(filter: ClaimFilter): TurnRequest | null;
  /** Takes the request away and records the turn as running, in one commit. False when the request is gone. */
  begin(turn: TurnStart): boolean;
  setPid(id: TurnId, pid: number | null): void;
  end(id: TurnId, end: TurnEnd): boolean;
  get(id: string): TurnRecord | null;
  byPrefix(prefix: string, limit: number): TurnRecord[];
  list(filter: TurnFilter): TurnRecord[];
  running(): TurnRecord[];
  runningOn(thread: ThreadId): TurnRecord | null;
  markTold(ids: readonly TurnId[]): void;
  /** Ended turns older than `beforeMs` beyond the newest `keep` of their thread; removes their rows. */
  prune(beforeMs: number, keep: number): TurnId[];
}

const RANK: Record<Origin, number> = { chat: 0, task: 1, chore: 2 };
const ORIGINS_IN_ORDER: readonly Origin[] = ['chat', 'task', 'chore'];
const REQUEST_COLUMNS = 'thread, origin, agent, reasons, priority, asked_at AS askedAt, forced, outside';
const TURN_COLUMNS = `id, thread, origin, agent, runner, state, reason, reasons, attempt, revision, description, outside,
  asked_at AS askedAt, started_at AS startedAt, ended_at AS endedAt, paused_ms AS pausedMs, exit_code AS exitCode, signal,
  pid, message, tool_call AS toolCall, told`;

function requestOf(row: Row): TurnRequest {
  const fields = {
    reasons: JSON.parse(row.reasons as string),
    forced: row.forced === 1,
    outside: row.outside === 1,
  };
  return { ...row, ...fields } as unknown as TurnRequest;
}

function turnOf(row: Row): TurnRecord {
  const fields = {
    reasons: JSON.parse(row.reasons as string),
    told: row.told === 1,
    outside: row.outside === 1,
  };
  return { ...row, ...fields } as unknown as TurnRecord;
}

const UPSERT = `INSERT INTO requests(thread, origin, agent, reasons, rank, priority, asked_at, forced, outside)
  VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(thread) DO UPDATE SET agent = excluded.agent, reasons = excluded.reasons,
    priority = min(priority, excluded.priority), forced = max(forced, excluded.forced), outside = max(outside, excluded.outside)`;

export function createTurnsTable(db: Database): TurnsTable {
  const turns = (sql: string, ...values: (string | number)[]) =>
    (db.prepare(sql).all(...values) as Row[]).map(turnOf);
  const one = (sql: string, value: string): TurnRecord | null => turns(sql, value)[0] ?? null;
  const pending = (thread: ThreadId): TurnRequest | null => {
    const row = db.prepare(`SELECT ${REQUEST_COLUMNS} FROM requests WHERE thread = ?`).get(thread) as
      | Row
      | undefined;
    return row ? requestOf(row) : null;
  };
  const dropRequest = (thread: ThreadId) =>
    db.prepare('DELETE FROM requests WHERE thread = ?').run(thread).changes === 1;
  return {
    pending,
    dropRequest,
    request(r) {
      db.transaction(() => {
        const reasons = [...new Set([...(pending(r.thread)?.reasons ?? []), ...r.reasons])];
        const values = [
          r.thread,
          r.origin,
          r.agent,
          JSON.stringify(reasons),
          RANK[r.origin],
          r.priority,
          r.askedAt,
        ];
        db.prepare(UPSERT).run(...values, Number(r.forced), Number(r.outside));
      });
    },
    countPending: () => Number((db.prepare('SELECT count(*) AS n FROM requests').get() as Row).n),
    listPending: (limit) =>
      (
        db
          .prepare(
            `SELECT ${REQUEST_COLUMNS} FROM requests ORDER BY rank, priority, asked_at, thread LIMIT ?`,
          )
          .all(limit) as Row[]
      ).map(requestOf),
    next({ fullOrigins, fullAgents, busyThreads }) {
      // Origin by origin, so that those at their limit cost nothing however much waits there.
      const sql = `SELECT ${REQUEST_COLUMNS} FROM requests
        WHERE rank = ? AND agent NOT IN (SELECT value FROM json_each(?))
          AND thread NOT IN (SELECT value FROM json_each(?)) AND thread NOT IN (SELECT thread FROM turns WHERE state = 'running')
        ORDER BY priority, asked_at, thread LIMIT 1`;
      const lists = [fullAgents, busyThreads].map((list) => JSON.stringify(list));
      for (const origin of ORIGINS_IN_ORDER) {
        if (fullOrigins.includes(origin)) continue;
        const row = db.prepare(sql).get(RANK[origin], ...lists) as Row | undefined;
        if (row) return requestOf(row);
      }
      return null;
    },
    begin(turn) {
      return db.transaction(() => {
        if (!dropRequest(turn.thread)) return false;
        const sql = `INSERT INTO turns(id, thread, origin, agent, runner, state, reasons, attempt, revision, description,
          outside, asked_at, started_at) VALUES(?, ?, ?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)`;
        const head = [
          turn.id,
          turn.thread,
          turn.origin,
          turn.agent,
          turn.runner,
          JSON.stringify(turn.reasons),
        ];
        const rest = [
          turn.attempt,
          turn.revision,
          turn.description,
          Number(turn.outside),
          turn.askedAt,
          turn.startedAt,
        ];
        db.prepare(sql).run(...head, ...rest);
        return true;
      });
    },
    setPid(id, pid) {
      db.prepare('UPDATE turns SET pid = ? WHERE id = ?').run(pid, id);
    },
    end(id, end) {
      const sql = `UPDATE turns SET state = ?, reason = ?, exit_code = ?, signal = ?, message = ?, ended_at = ?
        WHERE id = ? AND state = 'running'`;
      const { changes } = db
        .prepare(sql)
        .run(end.state, end.reason, end.exitCode, end.signal, end.message, end.endedAt, id);
      // What a mirror held back for the turn is due.
      db.prepare(
        `UPDATE mirrors SET due_at = 0 WHERE due_at IS NOT NULL
          AND task = (SELECT substr(thread, length('task:local:') + 1) FROM turns WHERE id = ?)`,
      ).run(id);
      return changes === 1;
    },
    get: (id) => one(`SELECT ${TURN_COLUMNS} FROM turns WHERE id = ?`, id),
    byPrefix: (prefix, limit) =>
      turns(
        `SELECT ${TURN_COLUMNS} FROM turns WHERE id >= ? AND id < ? LIMIT ?`,
        prefix,
        `${prefix}\uffff`,
        limit,
      ),
    list({ thread, state, untold, limit }) {
      const fresh = untold ? "told = 0 AND state != 'running'" : '';
      const where = [thread ? 'thread = ?' : '', state ? 'state = ?' : '', fresh]
        .filter(Boolean)
        .join(' AND ');
      const values = [thread, state].filter((value) => value !== undefined);
      const sql = `SELECT ${TURN_COLUMNS} FROM turns ${where ? `WHERE ${where}` : ''} ORDER BY started_at DESC, id LIMIT ?`;
      return turns(sql, ...values, limit ?? 100);
    },
    running: () => turns(`SELECT ${TURN_COLUMNS} FROM turns WHERE state = 'running' ORDER BY started_at`),
    runningOn: (thread) =>
      one(`SELECT ${TURN_COLUMNS} FROM turns WHERE state = 'running' AND thread = ?`, thread),
    markTold(ids) {
      db.transaction(() => {
        for (const id of ids) db.prepare('UPDATE turns SET told = 1 WHERE id = ?').run(id);
      });
    },
    prune(beforeMs, keep) {
      const sql = `DELETE FROM turns WHERE id IN (SELECT id FROM (
          SELECT id, started_at, state, row_number() OVER (PARTITION BY thread ORDER BY started_at DESC) AS nth FROM turns)
        WHERE nth > ? AND started_at < ? AND state != 'running') RETURNING id`;
      return (db.prepare(sql).all(keep, beforeMs) as Row[]).map((row) => row.id as TurnId);
    },
  };
}
