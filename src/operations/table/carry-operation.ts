// The one way by which an agent's asking becomes an operation, whatever it came over: a turn's bridge, MCP, a model's tools.
// What is the person's or the runtime's, and what the agent's access does not allow, is refused here.
import * as z from 'zod';
import type { Access } from '../../core/config/agent-config.ts';
import { RoomError } from '../../core/errors.ts';
import { describeAccess, hasLevel } from '../../core/rules/access.ts';
import { type AgentActor, titleOfAgent } from '../../tasks/task-room.ts';
import type { Client } from '../client.ts';
import { OPERATIONS, type OperationEntry } from './operation-table.ts';

export interface AgentCaller {
  actor: AgentActor;
  access: Access;
}

/** What may be carried out: an operation and its input, both allowed. */
export interface Allowed {
  entry: OperationEntry;
  input: unknown;
}

/**
 * @param name of an operation
 * @param given its input as it came; nothing counts as `{}`
 * @throws RoomError `bad_input` for an unknown operation or a malformed input, `not_allowed`
 */
export function allowOperation({ actor, access }: AgentCaller, name: string, given: unknown): Allowed {
  const entry = OPERATIONS.get(name);
  if (entry === undefined) throw new RoomError('bad_input', `there is no operation ${JSON.stringify(name)}`);
  if (entry.needs === 'person' || entry.needs === 'runtime' || (entry.outsideTurns && actor.kind === 'agent'))
    throw new RoomError(
      'not_allowed',
      `${titleOfAgent(actor)} may not ${entry.what ?? name}: that is the person's`,
      {
        hint: 'ask the person to',
      },
    );
  const input = acceptGiven(entry, given ?? {});
  if (hasLevel(access, entry.level(input))) return { entry, input };
  throw new RoomError(
    'not_allowed',
    `${titleOfAgent(actor)} may not ${entry.what ?? name}: ${describeAccess(access)}`,
    {
      hint: `its access is ${access}; ask the person to do it, or to change that`,
    },
  );
}

function acceptGiven({ name, input, accept }: OperationEntry, given: unknown): unknown {
  if (accept !== undefined) return accept(given);
  const parsed = input.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RoomError('bad_input', `${name}: ${z.prettifyError(parsed.error)}`);
}

/**
 * As {@link allowOperation}, and carries it out.
 * @returns plain data: what JSON can say
 */
export async function carryOperation(
  operations: Client,
  caller: AgentCaller,
  name: string,
  given: unknown,
): Promise<unknown> {
  const { entry, input } = allowOperation(caller, name, given);
  return (await entry.run(operations, input, caller.actor)) ?? null;
}
