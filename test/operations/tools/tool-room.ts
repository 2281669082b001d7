// Tools as their callers have them, over a real room: a person's assistant, and the agent of a running turn.

import { assistantCaller } from '../../../src/app/agents/agent-tools.ts';
import type { Access } from '../../../src/core/config/agent-config.ts';
import type { TurnId } from '../../../src/core/ids.ts';
import { carryOperation } from '../../../src/operations/carry-operation.ts';
import { callTool, type ToolAnswer, type ToolCaller } from '../../../src/operations/tools/tool.ts';
import { type Dialect, toolsFor } from '../../../src/operations/tools/tool-list.ts';
import { createRemoteClient } from '../../../src/remote/remote-client.ts';
import type { AgentActor } from '../../../src/tasks/task-room.ts';
import type { TestRoom } from '../../tasks/test-room.ts';

export type CallByName = (name: string, input?: unknown) => Promise<ToolAnswer>;

export function toolsOf(caller: ToolCaller, dialect: Dialect = 'taskroom'): CallByName {
  return async (name, input) => {
    const tool = toolsFor(caller, dialect).find((each) => each.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return callTool(tool, caller, input);
  };
}

export function assistantIn(room: TestRoom, access: Access = 'full'): ToolCaller {
  return assistantCaller(room.tasks, 'claude-code', access);
}

/** The agent of a turn that runs. */
export function agentIn(room: TestRoom, turn: string, task: string, access: Access = 'full'): ToolCaller {
  const actor: AgentActor = { kind: 'agent', agent: 'runbook', turn: turn as TurnId };
  return {
    ...assistantIn(room, access),
    tasks: createRemoteClient((name, input) => carryOperation(room.tasks, { actor, access }, name, input)),
    actor,
    task,
    agent: 'runbook',
  };
}
