// What the fallbacks of all agents say together: each names another agent of the room, and none leads back to itself.
import type { Problem } from '../errors.ts';
import type { AgentConfig } from './agent-config.ts';
import type { ConfigSource } from './config-source.ts';

export interface AgentFile {
  agent: AgentConfig;
  path: string;
  placeAt: ConfigSource['placeAt'];
}

/**
 * The problems of fallbacks, by the id of the agent whose file has them.
 * @param known ids of all folders under agents/, those of unreadable agents too
 */
export function fallbackProblems(
  files: readonly AgentFile[],
  known: ReadonlySet<string>,
): Map<string, Problem> {
  const fallbacks = new Map(files.map(({ agent }) => [agent.id, agent.fallback]));
  const problems = new Map<string, Problem>();
  for (const { agent, path, placeAt } of files) {
    const fault = faultOf(agent, fallbacks, known);
    if (fault !== null) problems.set(agent.id, { path, ...placeAt(['fallback'], 'value'), ...fault });
  }
  return problems;
}

function faultOf(
  { id, fallback }: AgentConfig,
  fallbacks: ReadonlyMap<string, string | null>,
  known: ReadonlySet<string>,
): Pick<Problem, 'message' | 'expected'> | null {
  if (fallback === null) return null;
  if (!known.has(fallback)) {
    const others = [...known].filter((other) => other !== id);
    const expected = others.length === 0 ? 'another agent' : `one of ${others.join(', ')}`;
    return { message: `fallback: no agent ${JSON.stringify(fallback)} in agents/`, expected };
  }
  const circle = circleOf(id, fallbacks);
  if (circle === null) return null;
  return { message: `fallback: goes in a circle: ${circle.join(' → ')}`, expected: 'fallbacks that end' };
}

/** The circle that an agent is part of, with itself at both ends; null for none. */
function circleOf(agent: string, fallbacks: ReadonlyMap<string, string | null>): string[] | null {
  const path = [agent];
  for (let next = fallbacks.get(agent) ?? null; next !== null; next = fallbacks.get(next) ?? null) {
    if (next === agent) return [...path, agent];
    if (path.includes(next)) return null;
    path.push(next);
  }
  return null;
}
