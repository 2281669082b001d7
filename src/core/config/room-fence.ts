// Which agents can be kept out of a room that lies inside their folder: by their program's own rules or sandbox, each as it was
// tried with the program (docs/agents/README.md).
import type { AgentConfig, Permissions, PresetName } from './agent-config.ts';

/** Permissions under which a program, started by its preset, leaves the room's folder alone. */
const DENIES: Readonly<Record<PresetName, readonly Permissions[]>> = {
  claude: ['edit'],
  codex: [],
  gemini: [],
  opencode: ['edit'],
  copilot: [],
};

export function deniesRoom({
  runner,
  preset,
  permissions,
}: Pick<AgentConfig, 'runner' | 'preset' | 'permissions'>): boolean {
  if (runner === 'model') return permissions === 'edit';
  return runner === 'command' && preset !== null && DENIES[preset].includes(permissions);
}
