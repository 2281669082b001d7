// Who can run: agents of the room with their runners, what each needs on this machine, and how much patience each gets. The
// daemon notes in the ledger which agents it can start, since that depends on its environment alone.
import type { Runner } from '../../agents/runner.ts';
import type { AgentConfig, RunnerName } from '../../core/config/agent-config.ts';
import type { TurnKind } from '../../core/ids.ts';
import { createRounds } from '../../core/keyed-mutex.ts';
import type { DispatchState } from '../../core/rules/dispatch.ts';
import { refusalOfNoAgent, refusalOfProse, runbooksOf } from '../../core/rules/why-not.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { AgentFacts, TaskRoom } from '../../tasks/task-room.ts';

export type TurnLimits = Pick<DispatchState, 'limits' | 'agentLimits' | 'maxOutputBytes'>;

export const DAEMONS_AGENTS = 'agents';

type Deps = Pick<TaskRoom, 'agents' | 'config' | 'effects' | 'room'>;
type Runners = ReadonlyMap<RunnerName, Runner>;

export async function findAgentFacts(deps: Deps, runners: Runners): Promise<AgentFacts> {
  const agents = deps.agents();
  const found = new Map<string, string | null>();
  for (const agent of agents.values()) found.set(agent.id, await whyNotHere(deps, runners, agent));
  return { defaultAgent: deps.config().defaultAgent, agents: found, runbooks: runbooksOf(agents) };
}

async function whyNotHere({ effects, room }: Deps, runners: Runners, agent: AgentConfig) {
  const [problem] = (await runners.get(agent.runner)?.check(agent, effects, room.dir)) ?? [];
  const hint = problem?.hint === undefined ? '' : `; ${problem.hint}`;
  return problem ? `agent ${agent.id} can't run: ${problem.message}${hint}` : null;
}

export const formatAgentFacts = ({ agents, ...facts }: AgentFacts): string =>
  JSON.stringify({ ...facts, agents: [...agents] });

export function parseAgentFacts(text: string): AgentFacts {
  const { agents, ...facts } = JSON.parse(text);
  return { ...facts, agents: new Map(agents) };
}

export function createAgents(deps: TaskRoom, runners: Runners) {
  let facts: AgentFacts | null = null;
  let noted = '';

  /** The agent and its runner, or what is wrong with them in one sentence. */
  function find(id: string): { agent: AgentConfig; runner: Runner } | string {
    const agent = deps.agents().get(id);
    if (!agent) return refusalOfNoAgent(id, deps.agents().keys());
    const runner = runners.get(agent.runner);
    if (runner) return { agent, runner };
    return `agent ${id} asks for the runner ${agent.runner}, which is not built in`;
  }

  /** True when it was not noted so. */
  function note(found: AgentFacts): boolean {
    const text = formatAgentFacts(found);
    if (text === noted) return false;
    deps.ledger.meta.set(DAEMONS_AGENTS, text);
    noted = text;
    return true;
  }

  return {
    find,
    /** What keeps the agent from this task; null for nothing. */
    problem(id: string, { forRunbook }: Pick<TaskMemory, 'forRunbook'>): string | null {
      const found = find(id);
      if (typeof found === 'string') return found;
      const isRefused = !forRunbook && found.agent.runner === 'runbook';
      return facts?.agents.get(id) ?? (isRefused ? refusalOfProse(id) : null);
    },
    /** Looks at an agent anew before it starts: what it lacks by now is noted. */
    async lookAt(id: string): Promise<void> {
      const found = find(id);
      if (typeof found === 'string' || facts === null) return;
      const problem = await whyNotHere(deps, runners, found.agent);
      if (problem === null) return;
      facts = { ...facts, agents: new Map(facts.agents).set(id, problem) };
      note(facts);
    },
    /** Looks anew at what agents need on this machine; true when that changed since the last look. */
    look: createRounds(async () => {
      facts = await findAgentFacts(deps, runners);
      return note(facts);
    }).ask,
    turnKind(id: string): TurnKind {
      const found = find(id);
      return typeof found === 'string' ? 'command' : found.runner.kind;
    },
    patience(id: string): { timeoutMs: number; stallMs: number | null } {
      const { timeoutMs, stallMs } = deps.config();
      const found = find(id);
      if (typeof found === 'string') return { timeoutMs, stallMs: null };
      const { agent, runner } = found;
      const stallHere = runner.streams(agent) ? stallMs : null;
      return { timeoutMs: agent.timeoutMs ?? timeoutMs, stallMs: agent.stallMs ?? stallHere };
    },
    limits: () => limitsOf(deps),
  };
}

function limitsOf(deps: TaskRoom): TurnLimits {
  const { limits, maxOutputBytes } = deps.config();
  const agentLimits: Record<string, number> = {};
  for (const { id, limit } of deps.agents().values()) if (limit !== null) agentLimits[id] = limit;
  return { limits, maxOutputBytes, agentLimits };
}
