// A row for each turn: one attempt at a thread (B1, B7).
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Spent } from '../../../core/rules/budget.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Origin } from '../../../core/rules/dispatch.ts';
import type { TurnReason, TurnState, TurnUsage } from '../../../core/rules/turn.ts';
import type { Database } from '../database.ts';
import { flag, initially, integer, json, optional, type RowOf, real, table, text } from '../table.ts';
import { LET_PASS, type RequestsTable } from './requests.ts';

/** Times are epoch ms. */
export const TURNS = table(
  'turns',
  {
    id: text<TurnId>(),
    thread: text<ThreadId>(),
    origin: text<Origin>(),
    agent: text(),
    runner: text(),
    state: text<TurnState>(),
    reason: optional(text<TurnReason>()),
    reasons: json<Wake[]>(),
    attempt: integer(),
    revision: text(),
    description: text(),
    /** What its agent runs; null where that is no program. */
    command: optional(text()),
    /** A person, another task or a trusted remote asked for it. */
    outside: flag(),
    askedAt: integer(),
    /** Of a pending one when it was asked for. */
    startedAt: integer(),
    endedAt: optional(integer()),
    pausedMs: initially(integer(), 0),
    exitCode: optional(integer()),
    signal: optional(text()),
    pid: optional(integer()),
    message: optional(text()),
    toolCall: optional(text()),
    told: initially(flag(), false),
    inputTokens: optional(integer()),
    outputTokens: optional(integer()),
    costUsd: optional(real()),
    /** Until when its agent's usage limit lasts that ended it. */
    limitedUntil: optional(integer()),
  },
  {
    indexes: {
      turns_by_thread: '(thread, started_at)',
      turns_by_start: '(started_at)',
      turns_running: "(thread) WHERE state = 'running'",
      turns_that_wrote_nothing: "(thread, started_at) WHERE reason = 'nothing_written'",
      // Sums of a day read the index alone.
      turns_spent: '(started_at, agent, ended_at, reason, state, input_tokens, output_tokens, cost_usd)',
    },
    apart: {
      /** SHA-256 of the secret that the turn's agent reports with. */
      tokenHash: optional(text()),
      /** Of what the task's file said of the work when the turn's agent began. */
      workHash: optional(text()),
      /** Its agent changed something by an operation. */
      reported: initially(flag(), false),
    },
  },
);

/** Calls of agents that asked for the next turn of a thread. */
export const TURN_CALLS = table('turn_calls', { thread: text<ThreadId>(), toolCall: text() });

type TurnRow = RowOf<typeof TURNS>;

export interface TurnRecord extends Omit<TurnRow, keyof TurnUsage> {
  /** What its agent said it used; null where it did not tell. */
  usage: TurnUsage | null;
}

function turnOf({ inputTokens, outputTokens, costUsd, ...row }: TurnRow): TurnRecord {
  const usage = inputTokens === null ? null : { inputTokens, outputTokens: outputTokens!, costUsd };
  return { ...row, usage } as TurnRecord;
}

// What turns used, summed: by agent since a moment, and by thread since its count began anew. The sums of threads are kept
// as turns end, so that they outlive the turns' rows.

/** What sums of turns are made of; times are epoch ms. */
export interface CountedTurn {
  agent: string;
  state: TurnState;
  reason: TurnReason | null;
  startedAt: number;
  endedAt: number | null;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

/** What turns of each thread used since its count began anew. */
export const SPENT = table('spent', {
  thread: text<ThreadId>(),
  turns: integer(),
  ms: integer(),
  inputTokens: integer(),
  outputTokens: integer(),
  costUsd: real(),
});

// A turn that a usage limit ended did no work, nor did one that was killed before it began, and how long one ran that was interrupted nobody knows: the end is only
// when its loss was found.
const SUMS = (
  now: string,
) => `sum(reason IS NOT 'rate_limited' AND (state != 'killed' OR ended_at > started_at)) AS turns,
  sum(CASE WHEN reason = 'interrupted' THEN 0 ELSE max(0, coalesce(ended_at, ${now}) - started_at) END) AS ms,
  sum(coalesce(input_tokens, 0)) AS inputTokens, sum(coalesce(output_tokens, 0)) AS outputTokens,
  sum(coalesce(cost_usd, 0.0)) AS costUsd`;

const SINCE = `SELECT agent, ${SUMS('?2')} FROM turns INDEXED BY turns_spent WHERE started_at >= ?1 GROUP BY agent`;

const EACH = `SELECT agent, state, reason, started_at AS startedAt, ended_at AS endedAt,
  coalesce(input_tokens, 0) AS inputTokens, coalesce(output_tokens, 0) AS outputTokens, coalesce(cost_usd, 0.0) AS costUsd
  FROM turns WHERE started_at >= ? ORDER BY started_at`;

const OF_THREAD = `SELECT sum(turns) AS turns, sum(ms) AS ms, sum(inputTokens) AS inputTokens,
  sum(outputTokens) AS outputTokens, sum(costUsd) AS costUsd FROM (
    SELECT turns, ms, input_tokens AS inputTokens, output_tokens AS outputTokens, cost_usd AS costUsd
      FROM spent WHERE thread = ?1
    UNION ALL SELECT ${SUMS('?2')} FROM turns WHERE thread = ?1 AND state = 'running')`;

/** Adds a turn that just ended, by its id, to the sum of its thread. */
export const ADD_SPENT = `INSERT INTO spent(thread, turns, ms, input_tokens, output_tokens, cost_usd)
  SELECT thread, ${SUMS('ended_at')} FROM turns WHERE id = ? GROUP BY thread
  ON CONFLICT(thread) DO UPDATE SET turns = turns + excluded.turns, ms = ms + excluded.ms,
    input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
    cost_usd = cost_usd + excluded.cost_usd`;

/** Sums of no turns are null. */
function spentOf(row: object): Spent {
  const { turns, ms, inputTokens, outputTokens, costUsd } = row as Spent;
  return Object.fromEntries(
    Object.entries({ turns, ms, inputTokens, outputTokens, costUsd }).map(([name, sum]) => [name, sum ?? 0]),
  ) as unknown as Spent;
}

export function createSpendingTable(db: Database) {
  return {
    /** What turns that began at `sinceMs` or later used until `nowMs`, running ones included, by agent. Epoch ms. */
    since(sinceMs: number, nowMs: number): Map<string, Spent> {
      const rows = db.rows<{ agent: string }>(SINCE, sinceMs, nowMs);
      return new Map(rows.map((row) => [row.agent, spentOf(row)]));
    },
    /** What the thread's turns used since its count began, a running one included. */
    of: (thread: ThreadId, nowMs: number) => spentOf(db.rows<object>(OF_THREAD, thread, nowMs)[0]!),
    /** Every turn that began at `sinceMs` or later, one by one; epoch ms. */
    each: (sinceMs: number) => db.prepare(EACH).iterate(sinceMs) as unknown as IterableIterator<CountedTurn>,
    /** The thread's count begins anew. */
    reset: (thread: ThreadId) => void SPENT.in(db).delete(thread),
    /** What a running turn's agent says it used so far. */
    setUsage: (id: TurnId, usage: TurnUsage) => void TURNS.in(db).update(id, usage),
  };
}

// Turns: each attempt at a thread, from its start to its end. What starts and what ends is one durable commit each.

/** What is known of a turn when it begins. */
export type TurnStart = Pick<
  TurnRecord,
  'id' | 'thread' | 'origin' | 'agent' | 'runner' | 'reasons' | 'attempt' | 'revision' | 'description'
> &
  Pick<TurnRecord, 'outside' | 'askedAt' | 'startedAt'> &
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
      if (ended) db.run(ADD_SPENT, id);
      db.run(END_WAIT_OF_MIRROR, id);
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
