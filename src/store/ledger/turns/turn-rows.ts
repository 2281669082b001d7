// A row for each turn: one attempt at a thread (B1, B7).

import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Origin } from '../../../core/rules/dispatch.ts';
import type { TurnReason, TurnState, TurnUsage } from '../../../core/rules/turn.ts';
import { flag, initially, integer, json, optional, type RowOf, real, table, text } from '../table.ts';

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

export function turnOf({ inputTokens, outputTokens, costUsd, ...row }: TurnRow): TurnRecord {
  const usage = inputTokens === null ? null : { inputTokens, outputTokens: outputTokens!, costUsd };
  return { ...row, usage } as TurnRecord;
}
