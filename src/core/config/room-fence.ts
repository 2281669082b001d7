// Agents whose folder holds the room. Their leave to work in it would be leave to write tasks, settings and other agents: one is
// taken only where it can be kept out of the room.
import type { Problem } from '../errors.ts';
import { type AgentConfig, isModelled, type PresetName } from './agent-config.ts';
import type { AgentFile } from './fallbacks.ts';

/** Programs that leave a folder inside their own alone: their rules or their sandbox deny it. */
const KEPT_OUT: ReadonlySet<PresetName | null> = new Set<PresetName>(['claude', 'codex', 'gemini']);

/** A model's own tools guard the room. Who runs programs as its person can't be kept out of anything. */
export function isKeptOut({
  preset,
  runner,
  permissions,
}: Pick<AgentConfig, 'preset' | 'runner' | 'permissions'>): boolean {
  return permissions === 'edit' && (runner === 'model' || (runner === 'command' && KEPT_OUT.has(preset)));
}

/**
 * What is wrong with an agent whose `cwd` holds the room, null for nothing.
 * @param isRoom the folder is the room itself
 */
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
