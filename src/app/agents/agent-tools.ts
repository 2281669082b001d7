// The agents' tools where the runtime serves them itself: for a turn's own model, and for a person's assistant. Each call is an
// operation, which checks what its caller may do.
import type { AgentTool } from '../../agents/runner.ts';
import type { Access } from '../../core/config/agent-config.ts';
import type { TurnId } from '../../core/ids.ts';
import { defined } from '../../core/plain-data.ts';
import { carryOperation } from '../../operations/carry-operation.ts';
import type { Client } from '../../operations/client.ts';
import { callTool, inputSchemaOf, type ToolCaller } from '../../operations/tools/tool.ts';
import { toolsFor } from '../../operations/tools/tool-list.ts';
import type { BridgeCaller } from '../../remote/protocol.ts';
import { createRemoteClient, type Send } from '../../remote/remote-client.ts';
import type { AgentActor } from '../../tasks/task-room.ts';

/** The tools of a turn's agent. @param send carries an operation out as that turn */
export function toolsOfTurn(who: BridgeCaller, turn: TurnId, send: Send): AgentTool[] {
  const actor: AgentActor = { kind: 'agent', agent: who.agent, turn };
  const { statuses } = who;
  const tasks = { ...createRemoteClient(send), statuses: () => statuses };
  const caller: ToolCaller = { ...who, tasks, actor };
  return toolsFor(caller).map((each) => ({
    name: each.name,
    description: each.description,
    inputSchema: inputSchemaOf(each, statuses),
    // The model can go on without a tool that has a bug.
    run: (input) =>
      callTool(each, caller, input).catch((error: unknown) => ({
        text: `bug: ${error instanceof Error ? error.message : String(error)}`,
        isError: true,
      })),
  }));
}

/** How a person's assistant calls tools: it may work on every task of the room, and opens no gate. @param client names its program */
export function assistantCaller(tasks: Client, client: string, access: Access): ToolCaller {
  const actor: AgentActor = { kind: 'assistant', client };
  const carried = createRemoteClient((name, input) => carryOperation(tasks, { actor, access }, name, input));
  return {
    tasks: { ...carried, ...defined({ statuses: tasks.statuses }) },
    actor,
    access,
    task: null,
    agent: null,
    programs: false,
  };
}
