// What program an agent is, on one line.
import type { AgentConfig } from './agent-config.ts';

/** Null for a model, and for who is no agent of the room. */
export function commandOf(
  agent: Pick<AgentConfig, 'command' | 'preset' | 'runner'> | undefined,
): string | null {
  if (agent === undefined) return null;
  return agent.preset ?? agent.command?.join(' ') ?? (agent.runner === 'runbook' ? 'runbook' : null);
}
