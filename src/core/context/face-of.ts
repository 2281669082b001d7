// By what an agent reports: its runner and its program decide, and its person.
import type { AgentConfig } from '../config/agent-config.ts';
import type { Face } from './services-section.ts';

export function faceOf(agent: Pick<AgentConfig, 'runner' | 'preset' | 'tools'> | undefined): Face {
  if (agent?.runner === 'model') return 'tools';
  if (agent?.runner === 'acp') return 'mcp';
  return agent !== undefined && agent.preset !== null ? agent.tools : 'commands';
}
