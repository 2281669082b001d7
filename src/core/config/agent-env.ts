// What follows from an agent's settings: its environment, its key, its program and the form of its output. A secret is only ever
// named in agent.json; its value is looked up at the start of a turn and kept nowhere.
import type { AgentConfig, EnvValue, PresetName } from './agent-config.ts';

// A secret read from the environment, checked before it is sent anywhere: what no token can hold (a line end, a blank)
// would otherwise come back in a library's error, whole.

/** Visible ASCII, as RFC 6750 and every tracker have it. */
const TOKEN = /^[\x21-\x7e]+$/;
export const isToken = (value: string): boolean => TOKEN.test(value);

export type Env = Readonly<Record<string, string | undefined>>;
type TokenReading = { token: string } | { missing: { what: string; set: string } };

/** The token in the variable `name`; null when it is not set, `missing` when its value can't be a token. */
export function readToken(env: Env, name: string): TokenReading | null {
  const token = env[name]?.trim();
  if (!token) return null;
  if (isToken(token)) return { token };
  const what = `a usable ${name} (the one that is set holds a character no token has: a blank, a line end, …)`;
  return { missing: { what, set: `Set ${name} again, as one line without blanks.` } };
}

/** `missing`: names that `{"from": NAME}` asks for and that are not set; their variables are left out of `env`. */
export function resolveAgentEnv(wanted: Readonly<Record<string, EnvValue>>, available: Env) {
  const env: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const resolved = typeof value === 'string' ? value : available[value.from];
    if (resolved !== undefined) env[name] = resolved;
    else if (typeof value !== 'string') missing.push(value.from);
  }
  return { env, missing };
}

/** What a program of ours inherits: everything but the secrets it must not see. */
export function inheritedEnv(env: Env, withheld: ReadonlySet<string>): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !withheld.has(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

/** Name of the variable with the key of an agent's model; null where nothing says that its server needs one. */
export function keyVariable({ api, apiKey }: Pick<AgentConfig, 'api' | 'apiKey'>): string | null {
  if (apiKey !== null) return apiKey;
  return api === 'anthropic' ? 'ANTHROPIC_API_KEY' : api === 'openai' ? 'OPENAI_API_KEY' : null;
}

/** Null for a model, and for who is no agent of the room. */
export function commandOf(agent: Pick<AgentConfig, 'command' | 'preset' | 'runner'> | undefined) {
  if (agent === undefined) return null;
  return agent.preset ?? agent.command?.join(' ') ?? (agent.runner === 'runbook' ? 'runbook' : null);
}

export type OutputFormat = 'acp' | 'model' | PresetName;

export const outputFormatOf = ({ runner, preset }: Pick<AgentConfig, 'runner' | 'preset'>) =>
  runner === 'acp' || runner === 'model' ? runner : (preset ?? null);

/** Whether a model decides what it does; a program of the person's own does what it always does. */
export const isModelled = ({ preset, runner }: Pick<AgentConfig, 'preset' | 'runner'>): boolean =>
  preset !== null || runner === 'acp' || runner === 'model';
