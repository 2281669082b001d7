// An agent's settings as a worker gets them: without secrets, without what the host alone does.
import type { AgentConfig, EnvValue } from '../../core/config/agent-config.ts';

/** Names whose values are secrets, however they came into the file. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|(^|_)KEY($|_)/i;

/** A value that may be a secret becomes the name of a variable: the worker's own. */
export function sharedAgent(agent: AgentConfig, withheldEnv: readonly string[]): AgentConfig {
  const env = Object.entries(agent.env).flatMap(([name, value]): [string, EnvValue][] => {
    if (withheldEnv.includes(name)) return [];
    if (typeof value !== 'string') return [[name, value]];
    return [[name, SECRET.test(name) ? { from: name } : value]];
  });
  return { ...agent, env: Object.fromEntries(env), checks: [], budget: null };
}
