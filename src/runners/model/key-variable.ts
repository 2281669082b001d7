// Where the key of an agent's model stands. Apart from what calls the model, since each look at the room's agents asks.
import type { AgentConfig } from '../../core/config/agent-config.ts';

/** Name of the variable that holds it; null where nothing says that its server needs one. */
export function keyVariable({ api, apiKey }: Pick<AgentConfig, 'api' | 'apiKey'>): string | null {
  if (apiKey !== null) return apiKey;
  return api === 'anthropic' ? 'ANTHROPIC_API_KEY' : api === 'openai' ? 'OPENAI_API_KEY' : null;
}
