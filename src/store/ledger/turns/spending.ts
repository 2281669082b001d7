// What turns used, summed: by agent since a moment, and by thread since its count began anew. The sums of threads are kept
// as turns end, so that they outlive the turns' rows.
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Spent } from '../../../core/rules/budget.ts';
import type { TurnReason, TurnState, TurnUsage } from '../../../core/rules/turn.ts';
import type { Database } from '../database.ts';
import { integer, real, table, text } from '../table.ts';
import { TURNS } from './turn-rows.ts';

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
  const { turns, ms, inputTokens, outputTokens, costUsd } = row as Record<keyof Spent, number | null>;
  return {
    turns: turns ?? 0,
    ms: ms ?? 0,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    costUsd: costUsd ?? 0,
  };
}

export function createSpendingTable(db: Database) {
  return {
    /** What turns that began at `sinceMs` or later used until `nowMs`, running ones included, by agent. Epoch ms. */
    since(sinceMs: number, nowMs: number): Map<string, Spent> {
      const rows = db.prepare(SINCE).all(sinceMs, nowMs) as { agent: string }[];
      return new Map(rows.map((row) => [row.agent, spentOf(row)]));
    },
    /** What the thread's turns used since its count began, a running one included. */
    of: (thread: ThreadId, nowMs: number) => spentOf(db.prepare(OF_THREAD).get(thread, nowMs)!),
    /** Every turn that began at `sinceMs` or later, one by one; epoch ms. */
    each: (sinceMs: number) => db.prepare(EACH).iterate(sinceMs) as unknown as IterableIterator<CountedTurn>,
    /** The thread's count begins anew. */
    reset: (thread: ThreadId) => void SPENT.in(db).delete(thread),
    /** What a running turn's agent says it used so far. */
    setUsage: (id: TurnId, usage: TurnUsage) => void TURNS.in(db).update(id, usage),
  };
}
