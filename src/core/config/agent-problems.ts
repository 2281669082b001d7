// What the fallbacks of all agents say together: each names another agent of the room, and none leads back to itself.
import type { Problem } from '../errors.ts';
import type { AgentConfig, PresetName } from './agent-config.ts';
import { isModelled } from './agent-env.ts';
import type { ConfigSource } from './config-source.ts';

// Agents whose folder holds the room. Their leave to work in it would be leave to write tasks, settings and other agents: one is
// taken only where it can be kept out of the room.

/** Programs that leave a folder inside their own alone: their rules or their sandbox deny it. */
const KEPT_OUT: ReadonlySet<PresetName | null> = new Set<PresetName>(['claude', 'codex', 'gemini']);

/** A model's own tools guard the room. Who runs programs as its person can't be kept out of anything. */
export function isKeptOut(agent: Pick<AgentConfig, 'preset' | 'runner' | 'permissions'>): boolean {
  const { preset, runner, permissions } = agent;
  return permissions === 'edit' && (runner === 'model' || (runner === 'command' && KEPT_OUT.has(preset)));
}

/** What is wrong with an agent whose `cwd` holds the room, null for nothing. @param isRoom the folder is the room itself */
export function roomProblem({ agent, path, placeAt }: AgentFile, isRoom: boolean): Problem | null {
  const { preset, runner, permissions, workspace, cwd } = agent;
  if (!isModelled(agent) || workspace !== null || permissions === 'all') return null;
  const program = preset ?? (runner === 'model' ? 'a model' : 'its program');
  if (isKeptOut(agent) && (!isRoom || runner === 'model')) return null;
  const why = isRoom
    ? 'is the room itself'
    : `holds the room, and with "permissions": "${permissions}" ${program}${runner === 'acp' ? ' over ACP' : ''} can't be kept out of it`;
  const less = !isRoom && permissions === 'run' && isKeptOut({ ...agent, permissions: 'edit' });
  return {
    path,
    ...placeAt(['cwd'], 'value'),
    message: `cwd: ${JSON.stringify(cwd)} ${why}`,
    hint: `choose one: "workspace": "worktree", in which it works in a copy for each task; a "cwd" that does not hold the room${less ? ', or "permissions": "edit", with which it can be kept out' : ''}; "permissions": "all", where nothing else is at stake`,
  };
}

export type AgentFile = { agent: AgentConfig; path: string; placeAt: ConfigSource['placeAt'] };

/** The problems of fallbacks by agent. @param known ids of all folders under agents/, those of unreadable agents too */
export function fallbackProblems(files: readonly AgentFile[], known: ReadonlySet<string>) {
  const fallbacks = new Map(files.map(({ agent }) => [agent.id, agent.fallback]));
  const problems = new Map<string, Problem>();
  for (const { agent, path, placeAt } of files) {
    const fault = faultOf(agent, fallbacks, known);
    if (fault !== null) problems.set(agent.id, { path, ...placeAt(['fallback'], 'value'), ...fault });
  }
  return problems;
}

type Fallbacks = ReadonlyMap<string, string | null>;

function faultOf({ id, fallback }: AgentConfig, fallbacks: Fallbacks, known: ReadonlySet<string>) {
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
function circleOf(agent: string, fallbacks: Fallbacks): string[] | null {
  const path = [agent];
  for (let next = fallbacks.get(agent) ?? null; next !== null; next = fallbacks.get(next) ?? null) {
    if (next === agent) return [...path, agent];
    if (path.includes(next)) return null;
    path.push(next);
  }
  return null;
}
