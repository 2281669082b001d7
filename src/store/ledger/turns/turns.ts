// A row for each turn: one attempt at a thread (B1, B7), and what turns used. Times are epoch ms.
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Spent } from '../../../core/rules/budget.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Origin } from '../../../core/rules/dispatch.ts';
import { NO_WORK, type TurnReason, type TurnState, type TurnUsage } from '../../../core/rules/turn.ts';
import { flag, initially, integer, json, optional, type RowOf, real, table, text } from '../table.ts';
import { REQUESTS } from './requests.ts';

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
    command: optional(text()), // What its agent runs; null where that is no program.
    outside: flag(), // A person, another task or a trusted remote asked for it.
    askedAt: integer(),
    startedAt: integer(),
    endedAt: optional(integer()),
    pausedMs: initially(integer(), 0),
    exitCode: optional(integer()),
    signal: optional(text()),
    pid: optional(integer()),
    message: optional(text()),
    toolCall: optional(text()),
    told: initially(flag(), false),
    hears: initially(flag(), false), // While it runs, it takes what the person tells its agent.
    inputTokens: optional(integer()),
    outputTokens: optional(integer()),
    costUsd: optional(real()),
    limitedUntil: optional(integer()), // Until when its agent's usage limit lasts that ended it.
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
      tokenHash: optional(text()), // SHA-256 of the secret that the turn's agent reports with.
      workHash: optional(text()), // Of what the task's file said of the work when the turn's agent began.
      /** Status of its task's file before it was marked doing, empty where the file said none; null where it was not marked. */
      statusBefore: optional(text()),
      reported: initially(flag(), false), // Its agent changed something by an operation.
    },
  },
);

/** Calls of agents that asked for the next turn of a thread. */
export const TURN_CALLS = table('turn_calls', { thread: text<ThreadId>(), toolCall: text() });

type TurnRow = RowOf<typeof TURNS>;

export interface TurnRecord extends Omit<TurnRow, keyof TurnUsage> {
  usage: TurnUsage | null; // What its agent said it used; null where it did not tell.
}

/** With what the agent of a turn reports, and against what its work is compared. */
export interface TurnReporting {
  tokenHash: string | null;
  workHash: string | null;
  statusBefore: string | null;
  reported: number; // 1 when its agent changed something by an operation of its own.
}

function turnOf({ inputTokens, outputTokens, costUsd, ...row }: TurnRow): TurnRecord {
  const usage = inputTokens === null ? null : { inputTokens, outputTokens: outputTokens!, costUsd };
  return { ...row, usage } as TurnRecord;
}

export type CountedTurn = Pick<TurnRow, 'agent' | 'state' | 'reason' | 'startedAt' | 'endedAt'> &
  Pick<Spent, 'inputTokens' | 'outputTokens' | 'costUsd'>;

/** What turns of each thread used since its count began anew: added as turns end, so that it outlives their rows. */
export const SPENT = table('spent', {
  thread: text<ThreadId>(),
  turns: integer(),
  ms: integer(),
  inputTokens: integer(),
  outputTokens: integer(),
  costUsd: real(),
});

const IDLE = [...NO_WORK].map((reason) => `'${reason}'`).join(', ');

// A turn that was killed before it began did no work. How long an interrupted one ran nobody knows: its end is when its loss was found.
const SUMS = (
  now: string,
) => `sum(coalesce(reason, '') NOT IN (${IDLE}) AND (state != 'killed' OR ended_at > started_at)) AS turns,
  sum(CASE WHEN reason = 'interrupted' THEN 0 ELSE max(0, coalesce(ended_at, ${now}) - started_at) END) AS ms,
  sum(coalesce(input_tokens, 0)) AS inputTokens, sum(coalesce(output_tokens, 0)) AS outputTokens,
  sum(coalesce(cost_usd, 0.0)) AS costUsd`;

type SpentBy = Spent & { agent: string };
const SINCE = `SELECT agent, ${SUMS('?2')} FROM turns INDEXED BY turns_spent WHERE started_at >= ?1 GROUP BY agent`;

const EACH = `SELECT agent, state, reason, started_at AS startedAt, ended_at AS endedAt,
  coalesce(input_tokens, 0) AS inputTokens, coalesce(output_tokens, 0) AS outputTokens, coalesce(cost_usd, 0.0) AS costUsd
  FROM turns WHERE started_at >= ? ORDER BY started_at`;

const OF_THREAD = `SELECT coalesce(sum(turns), 0) AS turns, coalesce(sum(ms), 0) AS ms, coalesce(sum(inputTokens), 0) AS inputTokens,
  coalesce(sum(outputTokens), 0) AS outputTokens, coalesce(sum(costUsd), 0.0) AS costUsd FROM (
    SELECT turns, ms, input_tokens AS inputTokens, output_tokens AS outputTokens, cost_usd AS costUsd
      FROM spent WHERE thread = ?1
    UNION ALL SELECT ${SUMS('?2')} FROM turns WHERE thread = ?1 AND state = 'running')`;

const ADD_SPENT = `INSERT INTO spent(thread, turns, ms, input_tokens, output_tokens, cost_usd)
  SELECT thread, ${SUMS('ended_at')} FROM turns WHERE id = ? GROUP BY thread
  ON CONFLICT(thread) DO UPDATE SET turns = turns + excluded.turns, ms = ms + excluded.ms,
    input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
    cost_usd = cost_usd + excluded.cost_usd`;

export const spending = SPENT.with((rows, db) => ({
  /** What turns that began at `sinceMs` or later used until `nowMs`, running ones included, by agent. */
  since: (sinceMs: number, nowMs: number): Map<string, Spent> =>
    new Map(db.rows<SpentBy>(SINCE, sinceMs, nowMs).map(({ agent, ...spent }) => [agent, spent])),
  /** What the thread's turns used since its count began, a running one included. */
  of: (thread: ThreadId, nowMs: number) => ({ ...db.rows<Spent>(OF_THREAD, thread, nowMs)[0]! }),
  each: (sinceMs: number) => db.rows<CountedTurn>(EACH, sinceMs),
  reset: (thread: ThreadId): void => void rows.delete(thread),
}));

export type TurnStart = Pick<
  TurnRecord,
  'id' | 'thread' | 'origin' | 'agent' | 'runner' | 'reasons' | 'attempt' | 'revision' | 'description'
> &
  Pick<TurnRecord, 'outside' | 'askedAt' | 'startedAt'> &
  Partial<Pick<TurnRecord, 'command'>>;

export interface TurnEnd extends Pick<TurnRecord, 'exitCode' | 'signal'> {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  message: string;
  endedAt: number;
  until?: number | null; // With `rate_limited`: until when turns of its agent wait.
}

export interface TurnFilter {
  thread?: ThreadId;
  state?: TurnState;
  untold?: boolean; // Only ended turns that the person was not told of (B7).
  limit?: number;
}

// What a mirror held back for the turn is due.
const END_WAIT_OF_MIRROR = `UPDATE mirrors SET due_at = 0 WHERE due_at IS NOT NULL
  AND task = (SELECT substr(thread, length('task:local:') + 1) FROM turns WHERE id = ?)`;

const WROTE_NOTHING = `SELECT thread FROM turns AS silent WHERE reason = 'nothing_written' AND NOT EXISTS
  (SELECT 1 FROM turns WHERE thread = silent.thread AND started_at > silent.started_at)`;

const RAN = `SELECT DISTINCT agent FROM turns WHERE started_at <= ?2 AND (ended_at IS NULL OR ended_at >= ?1) ORDER BY agent`;
const REPORTING =
  'SELECT token_hash AS tokenHash, work_hash AS workHash, status_before AS statusBefore, reported FROM turns WHERE id = ?';

const PRUNE = `DELETE FROM turns WHERE id IN (SELECT id FROM (
    SELECT id, started_at, state, row_number() OVER (PARTITION BY thread ORDER BY started_at DESC) AS nth FROM turns)
  WHERE nth > ? AND started_at < ? AND state != 'running') RETURNING id`;

const ASKED_FOR = `SELECT max(started_at) FROM turns WHERE thread = ? AND (outside = 1 OR thread GLOB 'chore:*')
  AND EXISTS (SELECT 1 FROM json_each(reasons) WHERE value NOT IN ('subtask_finished', 'unblocked'))`;

/** Found by the key that a reading holds where there is one: no reading is taken apart for it. */
const IS_ANY_BUDGET = `SELECT 1 FROM files INDEXED BY files_with_budget WHERE instr(reading, '"budget":') > 0 LIMIT 1`;
const WITH_BUDGET = `SELECT turns.id FROM turns CROSS JOIN tasks ON tasks.id = substr(thread, 12)
  CROSS JOIN files ON files.path = tasks.path
  WHERE state = 'running' AND thread GLOB 'task:local:*' AND instr(reading, '"budget":') > 0`;

export const turns = TURNS.with((rows, db) => {
  const calls = TURN_CALLS.in(db);
  const requests = REQUESTS.in(db);
  const all = (rest: string, ...values: (string | number)[]) => rows.all(rest, ...values).map(turnOf);
  return {
    get: (id: string) => all('WHERE id = ?', id)[0] ?? null,
    byPrefix: (prefix: string, limit: number) => rows.byPrefix(prefix, limit).map(turnOf),
    /** What rows of turns do not show: the columns apart. Null for a turn that is not on record. */
    reporting: (id: string) => (db.get(REPORTING, id) as TurnReporting | undefined) ?? null,
    list({ thread, state, untold, limit = 100 }: TurnFilter): TurnRecord[] {
      const fresh = untold ? "told = 0 AND state != 'running'" : '';
      const where = [thread && 'thread = ?', state && 'state = ?', fresh].filter(Boolean);
      const filter = where.length > 0 ? `WHERE ${where.join(' AND ')}` : '';
      const values = [thread, state].filter((value) => value !== undefined);
      return all(`${filter} ORDER BY started_at DESC, id LIMIT ?`, ...values, limit);
    },
    running: () => all("WHERE state = 'running' ORDER BY started_at"),
    runningOn: (thread: ThreadId) => all("WHERE state = 'running' AND thread = ?", thread)[0] ?? null,
    /** Of the turns that run, those of tasks whose own file names a budget. */
    runningWithBudget: () => (db.get(IS_ANY_BUDGET) ? db.column<TurnId>(WITH_BUDGET) : []),
    /** Agents of which a turn ran at any time from `fromMs` to `toMs`, in alphabetical order. */
    agentsRan: (fromMs: number, toMs = fromMs) => db.column<string>(RAN, Math.floor(fromMs), Math.ceil(toMs)),
    /** When a turn began last that somebody asked for, or a schedule; 0 when none did. */
    lastAskedFor: (thread: ThreadId) => db.column<number | null>(ASKED_FOR, thread)[0] ?? 0,
    wroteNothing: () => db.column<ThreadId>(WROTE_NOTHING),
    /** Takes the request away and records the turn as running, in one commit. False when the request is gone. */
    begin: (turn: TurnStart) =>
      db.transaction(() => {
        const { thread } = turn;
        if (!requests.delete(thread)) return false;
        rows.insert({ ...turn, state: 'running', toolCall: calls.get(thread)?.toolCall ?? null });
        calls.delete(thread);
        db.run('DELETE FROM let_pass WHERE thread = ?', thread);
        return true;
      }),
    /** An agent asked for the next turn of this thread, by that call; null: none did. */
    setToolCall(thread: ThreadId, toolCall: string | null): void {
      if (toolCall === null) calls.delete(thread);
      else calls.put({ thread, toolCall });
    },
    setReported: (id: TurnId) => rows.update(id, { reported: true }, 'reported = 0'),
    setUsage: (id: TurnId, usage: TurnUsage) => rows.update(id, usage),
    end(id: TurnId, { until = null, ...end }: TurnEnd): boolean {
      const ended = rows.update(id, { ...end, limitedUntil: until }, "state = 'running'");
      if (ended) db.run(ADD_SPENT, id);
      db.run(END_WAIT_OF_MIRROR, id);
      return ended;
    },
    /** Ended turns older than `beforeMs` beyond the newest `keep` of their thread; removes their rows. */
    prune: (beforeMs: number, keep: number) => db.column<TurnId>(PRUNE, keep, beforeMs),
  };
});
