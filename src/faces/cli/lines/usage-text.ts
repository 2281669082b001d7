// What turns used, as people read it.
import type { SpentJson } from '../../../tasks/shapes/turn.ts';
import { plural } from './display-text.ts';
import { lengthOf } from './time-text.ts';

/** `12k tokens in, 340 out, $0.42`; parts that are nothing are left out. */
export function usageText({
  input_tokens,
  output_tokens,
  cost_usd,
}: Omit<SpentJson, 'turns' | 'seconds'>): string {
  const tokens = input_tokens + output_tokens === 0 ? '' : tokensText(input_tokens, output_tokens);
  const cost = cost_usd === null || cost_usd === 0 ? '' : `$${cost_usd.toFixed(2)}`;
  return [tokens, cost].filter(Boolean).join(', ');
}

/** `3 turns, 12 min 4 s, 12k tokens in, 340 out, $0.42`. */
export function spentText({ turns, seconds, ...usage }: SpentJson): string {
  return [plural(turns, 'turn'), lengthOf(seconds * 1000), usageText(usage)].filter(Boolean).join(', ');
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
