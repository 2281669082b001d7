// The value readers of what the runners acp and model alone are told: leave for calls, a server's address, prices.
import { APPROVALS, type Approval, type ModelPrices, TOOL_KINDS, type ToolKind } from './agent-config.ts';
import { type Found, oneOf, wrong } from './config-fields.ts';
import { show } from './shown-value.ts';

const readKind = oneOf(...TOOL_KINDS);
const readApproval = oneOf(...APPROVALS);

/** A map of kinds of tool calls to allow, ask or deny. */
export function readApprovals(value: unknown): Found<Partial<Record<ToolKind, Approval>>> {
  const expected = `a map of ${TOOL_KINDS.join(', ')} to ${APPROVALS.join(', ')}`;
  if (!isMap(value)) return wrong(value, expected);
  const approvals: Partial<Record<ToolKind, Approval>> = {};
  for (const [key, entry] of Object.entries(value)) {
    const kind = readKind(key);
    const approval = readApproval(entry);
    if (!('value' in kind)) return kind;
    if (!('value' in approval)) return { ...approval, fault: `${key}: ${approval.fault}` };
    approvals[kind.value] = approval.value;
  }
  return { value: approvals };
}

/** The address of a model's server, without a slash at its end. */
export function readModelAddress(value: unknown): Found<string> {
  const expected = 'an address such as http://localhost:11434/v1';
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return wrong(value, expected);
  if (url.username !== '' || url.password !== '')
    return { fault: 'a secret stands in the address', expected, hint: 'name its variable in "api_key"' };
  return { value: (value as string).replace(/\/+$/, '') };
}

const PRICE_KEYS = ['input', 'output', 'cached'];

/** What a million tokens cost. */
export function readPrices(value: unknown): Found<ModelPrices> {
  const expected = 'a map of input, output and cached: dollars a million tokens, the last may be left out';
  if (!isMap(value)) return wrong(value, expected);
  for (const [key, price] of Object.entries(value)) {
    if (!PRICE_KEYS.includes(key)) return { fault: `unknown key ${show(key)} in prices`, expected };
    if (typeof price !== 'number' || !(price >= 0 && price <= 1e6))
      return { fault: `${key} can't be ${show(price)}`, expected };
  }
  const { input, output, cached } = value as Partial<ModelPrices>;
  if (input === undefined || output === undefined)
    return { fault: `${input === undefined ? 'input' : 'output'} is missing in prices`, expected };
  return { value: { input, output, cached: cached ?? input } };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
