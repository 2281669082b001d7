// What keeps the agents of tasks from running: there is none of that name, or its program or a variable is missing.
import type { RoomHandle } from './room-handle.ts';

/** What is wrong with the agent that would take the turns of an owner; null when nothing is. */
export type AgentProblemOf = (owner: string | null) => string | null;

export async function readAgentProblems({ deps, ports }: RoomHandle): Promise<AgentProblemOf> {
  const { defaultAgent, agents } = (await ports.agentFacts?.()) ?? {
    defaultAgent: deps.config().defaultAgent,
    agents: new Map([...deps.agents().keys()].map((id) => [id, null])),
  };
  return (owner) => {
    const agent = owner ?? defaultAgent;
    const known = agents.get(agent);
    if (known !== undefined) return known;
    return `no agent ${JSON.stringify(agent)} in agents/ (there are: ${[...agents.keys()].join(', ') || 'none'})`;
  };
}
