// The one way by which an agent's request becomes an operation, over a turn's bridge, MCP or a model's tools. It refuses what the
// agent's access does not allow.
import type { Access } from '../core/config/agent-config.ts';
import { RoomError } from '../core/errors.ts';
import { describeAccess, hasLevel } from '../core/rules/access.ts';
import type { OwnStatuses } from '../core/task/status.ts';
import { type AgentActor, titleOfAgent } from '../tasks/task-room.ts';
import { acceptInput } from './accept-input.ts';
import { assertMayCall, type Client, findOperation } from './client.ts';

export type AgentCaller = { actor: AgentActor; access: Access };

/** @param given nothing counts as `{}`
 * @param own statuses of the room
 * @throws RoomError `bad_input` for an unknown operation or input, `not_allowed` */
export async function allowOperation(
  { actor, access }: AgentCaller,
  name: string,
  given: unknown,
  own: () => OwnStatuses,
) {
  const operation = await findOperation(name);
  assertMayCall(actor, operation);
  const { summary, level } = operation;
  const input = acceptInput(operation, given);
  if (hasLevel(access, typeof level === 'string' ? level : level(input, own()))) return { operation, input };
  throw new RoomError('not_allowed', `${titleOfAgent(actor)} may not ${summary} (its access is ${access})`, {
    hint: `${describeAccess(access)}; ask the person to do it, or to change that`,
  });
}

/** As {@link allowOperation}, and runs it; returns JSON data. */
export async function carryOperation(
  operations: Client,
  caller: AgentCaller,
  name: string,
  given: unknown,
): Promise<unknown> {
  const { input } = await allowOperation(caller, name, given, () => operations.statuses?.() ?? {});
  return operations.call(name as never, input as never, caller.actor, true);
}
