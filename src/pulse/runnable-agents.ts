// Who can run: agents of the room with their runners, and how much patience each gets.
import type { AgentConfig, RunnerName } from '../core/config/agent-config.ts';
import type { TurnKind } from '../core/ids.ts';
import type { DispatchState } from '../core/rules/dispatch.ts';
import type { Runner } from '../runners/runner.ts';
import type { AgentFacts } from '../tasks/room-handle.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { DAEMONS_AGENTS, findAgentFacts, formatAgentFacts } from './agent-facts.ts';

/** How many turns may run, and how much each may say. */
export type TurnLimits = Pick<DispatchState, 'limits' | 'agentLimits' | 'maxOutputBytes'>;

export interface Agents {
  /** The agent and its runner, or what is wrong with them in one sentence. */
  find(id: string): { agent: AgentConfig; runner: Runner } | string;
  problem(id: string): string | null;
  /**
   * Looks anew at what agents need on this machine, after the look that is under way: what is known is what was found last.
   * @returns true when that changed since the last look
   */
  look(): Promise<boolean>;
  runnerOf(id: string): Runner | null;
  /** The kind that the ids of the agent's turns begin with. */
  turnKind(id: string): TurnKind;
  patience(id: string): { timeoutMs: number; stallMs: number | null };
  limits(): TurnLimits;
}

export function createAgents(deps: TaskRoom, runners: ReadonlyMap<RunnerName, Runner>): Agents {
  function find(id: string): { agent: AgentConfig; runner: Runner } | string {
    const agent = deps.agents().get(id);
    if (!agent)
      return `no agent ${JSON.stringify(id)} in agents/ (there are: ${[...deps.agents().keys()].join(', ') || 'none'})`;
    const runner = runners.get(agent.runner);
    return runner
      ? { agent, runner }
      : `agent ${id} asks for the runner ${agent.runner}, which is not built in`;
  }
  let facts: AgentFacts | null = null;
  let noted = '';
  const problem = (id: string) => {
    const found = find(id);
    return typeof found === 'string' ? found : (facts?.agents.get(id) ?? null);
  };
  async function lookNow(): Promise<boolean> {
    facts = await findAgentFacts(deps, runners);
    const text = formatAgentFacts(facts);
    if (text === noted) return false;
    deps.ledger.meta.set(DAEMONS_AGENTS, text);
    noted = text;
    return true;
  }
  const runnerOf = (id: string) => {
    const found = find(id);
    return typeof found === 'string' ? null : found.runner;
  };
  return {
    find,
    problem,
    look: oneAfterAnother(lookNow),
    runnerOf,
    turnKind: (id) => runnerOf(id)?.kind ?? 'command',
    patience(id) {
      const { timeoutMs, stallMs } = deps.config();
      const found = find(id);
      if (typeof found === 'string') return { timeoutMs, stallMs: null };
      const { agent, runner } = found;
      return {
        timeoutMs: agent.timeoutMs ?? timeoutMs,
        stallMs: agent.stallMs ?? (runner.streams(agent) ? stallMs : null),
      };
    },
    limits() {
      const { limits, maxOutputBytes } = deps.config();
      const limited = [...deps.agents().values()].filter((agent) => agent.limit !== null);
      return {
        limits,
        maxOutputBytes,
        agentLimits: Object.fromEntries(limited.map((agent) => [agent.id, agent.limit!])),
      };
    },
  };
}

/** Runs once at a time; all that ask meanwhile share the run that begins after it. */
function oneAfterAnother<T>(run: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  return () => {
    if (next !== null) return next;
    const started = current.then(() => {
      next = null;
      return run();
    });
    next = started;
    current = started.catch(() => undefined);
    return started;
  };
}
