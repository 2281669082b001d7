// The agents' tools for whom the runtime serves them itself: a turn's own model, and a person's assistant. Each call goes
// through the table of operations, where it is held to what its caller may do.

import type { AgentTool } from '../../agents/runner.ts';
import type { Access } from '../../core/config/agent-config.ts';
import type { TurnId } from '../../core/ids.ts';
import { carryOperation } from '../../operations/carry-operation.ts';
import type { Client } from '../../operations/client.ts';
import { callTool, inputSchemaOf, type ToolCaller } from '../../operations/tools/tool.ts';
import { toolsFor } from '../../operations/tools/tool-list.ts';
import { createRemoteClient, type Send } from '../../remote/remote-client.ts';
import type { BridgeCaller } from '../../remote/wire.ts';
import type { AgentActor } from '../../tasks/task-room.ts';

/** A person's assistant: the name of its program, and how far its person lets it. */
export interface Assistant {
  client: string;
  access: Access;
}

/** The tools of a turn's agent. @param send carries an operation out as that turn */
export function toolsOfTurn(who: BridgeCaller, turn: TurnId, send: Send): AgentTool[] {
  const { agent, access, task, programs } = who;
  const caller: ToolCaller = {
    tasks: createRemoteClient(send),
    actor: { kind: 'agent', agent, turn },
    access,
    task,
    agent,
    programs,
  };
  return toolsFor(caller).map((each) => ({
    name: each.name,
    description: each.description,
    inputSchema: inputSchemaOf(each),
    run: (input) => callTool(each, caller, input).catch(toAnswer),
  }));
}

/** A bug is not the model's to know; what it can do is go on without. */
function toAnswer(error: unknown): { text: string; isError: true } {
  return { text: `bug: ${error instanceof Error ? error.message : String(error)}`, isError: true };
}

/** How a person's assistant calls tools: every task of the room is its own, and no gate. */
export function assistantCaller(tasks: Client, { client, access }: Assistant): ToolCaller {
  const actor: AgentActor = { kind: 'assistant', client };
  return {
    tasks: createRemoteClient((name, input) => carryOperation(tasks, { actor, access }, name, input)),
    actor,
    access,
    task: null,
    agent: null,
    programs: false,
  };
}
