// Which agents of the room can run on this machine now. The daemon notes it in the ledger, since what it can start depends on
// its environment alone.
import type { RunnerName } from '../core/config/agent-config.ts';
import type { Runner } from '../runners/runner.ts';
import type { AgentFacts } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

/** Where the ledger keeps what the daemon found. */
export const DAEMONS_AGENTS = 'agents';

/** Looks at what each agent needs: programs and variables. */
export async function findAgentFacts(
  { agents, config, effects }: Pick<TaskRoom, 'agents' | 'config' | 'effects'>,
  runners: ReadonlyMap<RunnerName, Runner>,
): Promise<AgentFacts> {
  const found = new Map<string, string | null>();
  for (const agent of agents().values()) {
    const [problem] = (await runners.get(agent.runner)?.check(agent, effects)) ?? [];
    const hint = problem?.hint === undefined ? '' : `; ${problem.hint}`;
    found.set(
      agent.id,
      problem === undefined ? null : `agent ${agent.id} can't run: ${problem.message}${hint}`,
    );
  }
  return { defaultAgent: config().defaultAgent, agents: found };
}

export function formatAgentFacts({ defaultAgent, agents }: AgentFacts): string {
  return JSON.stringify({ defaultAgent, agents: [...agents] });
}

export function parseAgentFacts(text: string): AgentFacts {
  const { defaultAgent, agents } = JSON.parse(text);
  return { defaultAgent, agents: new Map(agents) };
}
