// What turns used, as people read it.
import type { Spent } from '../../../core/rules/budget.ts';
import type { TurnUsage } from '../../../core/rules/turn.ts';
import { plural } from './display-text.ts';
import { lengthOf } from './time-text.ts';

/** `12k tokens in, 340 out, $0.42`; parts that are nothing are left out. */
export function usageText({ inputTokens, outputTokens, costUsd }: TurnUsage): string {
  const tokens = inputTokens + outputTokens === 0 ? '' : tokensText(inputTokens, outputTokens);
  const cost = costUsd === null || costUsd === 0 ? '' : `$${costUsd.toFixed(2)}`;
  return [tokens, cost].filter(Boolean).join(', ');
}

/** `3 turns, 12 min 4 s, 12k tokens in, 340 out, $0.42`. */
export function spentText(spent: Spent): string {
  return [plural(spent.turns, 'turn'), lengthOf(spent.ms), usageText(spent)].filter(Boolean).join(', ');
}

function tokensText(input: number, output: number): string {
  return `${short(input)} tokens in, ${short(output)} out`;
}

/** `340`, `12k`, `1.2M`. */
function short(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
