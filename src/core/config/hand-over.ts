// `hand_over` of room.yaml: which agents may hand over work to agents with more rights than their own.
import { type Found, isAgentId, wrong } from './config-fields.ts';
import { show } from './shown-value.ts';

const EXPECTED = 'a map of an agent to the agents that it may hand over work to, such as `triage: [coder]`';

export function readHandOver(value: unknown): Found<Record<string, string[]>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return wrong(value, EXPECTED);
  const pairs: Record<string, string[]> = {};
  for (const [from, given] of Object.entries(value)) {
    const to: unknown[] = Array.isArray(given) ? given : [given];
    const other = [from, ...to].find((id) => typeof id !== 'string' || !isAgentId(id));
    if (other !== undefined) return { fault: `${show(other)} is no agent id`, expected: EXPECTED };
    pairs[from] = to as string[];
  }
  return { value: pairs };
}
