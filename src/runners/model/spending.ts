// What a turn's answers used, what that cost, and whether the next answer may still be asked for. Pure.
import type { ModelPrices } from '../../core/config/agent-config.ts';
import type { TurnUsage } from '../../core/rules/turn.ts';
import { type Fields, fieldsOf } from '../command/reading/fields.ts';
import type { BudgetLeft, LeftOver } from '../runner.ts';

/** What one answer used. */
export interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
  /** Of the input. */
  cachedTokens: number;
  /** As the server itself says it, US dollars; null where it does not. */
  costUsd: number | null;
}

export const NOTHING_USED: TurnUsage = { inputTokens: 0, outputTokens: 0, costUsd: null };

const MILLION = 1_000_000;
/** An answer that has less room is not worth its question. */
const LEAST_ANSWER = 256;
/** Above this an answer needs no bound of ours. */
const LONG_ANSWER = 16_000;

export function addUsage(used: TurnUsage, answer: AnswerUsage, prices: ModelPrices | null): TurnUsage {
  const cost = answer.costUsd ?? (prices === null ? null : costOf(answer, prices));
  return {
    inputTokens: used.inputTokens + answer.inputTokens,
    outputTokens: used.outputTokens + answer.outputTokens,
    costUsd: cost === null ? used.costUsd : (used.costUsd ?? 0) + cost,
  };
}

function costOf({ inputTokens, outputTokens, cachedTokens }: AnswerUsage, prices: ModelPrices): number {
  const cached = Math.min(cachedTokens, inputTokens);
  const fresh = (inputTokens - cached) * prices.input;
  return (fresh + cached * prices.cached + outputTokens * prices.output) / MILLION;
}

/** What a server says of cost beside its counts (OpenRouter does); null where it says nothing. */
export function toldCost(raw: unknown): number | null {
  const { cost } = fieldsOf(raw) as Fields;
  return typeof cost === 'number' && cost >= 0 ? cost : null;
}

export type NextAnswer =
  /** `maxTokens` of output; null for no bound. */
  | { may: true; maxTokens: number | null }
  /** What is left is too little. */
  | { may: false; left: LeftOver; what: 'tokens' | 'cost' };

/**
 * Whether one more answer fits into what is left, reckoned so that no bound is passed.
 * @param left what the budgets leave over for this turn from here on
 * @param inputTokens what its question will take, about
 */
export function mayAsk(left: BudgetLeft, inputTokens: number, prices: ModelPrices | null): NextAnswer {
  const rooms = [
    left.tokens === null
      ? null
      : { what: 'tokens' as const, left: left.tokens, room: left.tokens.amount - inputTokens },
    left.costUsd === null || prices === null || prices.output === 0
      ? null
      : {
          what: 'cost' as const,
          left: left.costUsd,
          room: Math.floor((left.costUsd.amount * MILLION - inputTokens * prices.input) / prices.output),
        },
  ].filter((room) => room !== null);
  const least = rooms.reduce<(typeof rooms)[number] | null>(
    (found, each) => (found === null || each.room < found.room ? each : found),
    null,
  );
  if (least === null) return { may: true, maxTokens: null };
  if (least.room < LEAST_ANSWER) return { may: false, left: least.left, what: least.what };
  return { may: true, maxTokens: least.room < LONG_ANSWER ? least.room : null };
}

/** What a text takes, about: more rather than less. */
export function estimateTokens(chars: number): number {
  return Math.ceil(chars / 3);
}
