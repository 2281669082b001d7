// The presets by name. A new one is a file in presets/, a line here and one in PRESET_NAMES.
import type { AgentConfig, PresetName } from '../../core/config/agent-config.ts';
import { claude } from './presets/claude.ts';
import { codex } from './presets/codex.ts';
import { copilot } from './presets/copilot.ts';
import { gemini } from './presets/gemini.ts';
import { opencode } from './presets/opencode.ts';
import type { Preset } from './presets/preset.ts';

export const PRESETS: Readonly<Record<PresetName, Preset>> = { claude, codex, gemini, opencode, copilot };

export function presetOf(agent: Pick<AgentConfig, 'preset'>): Preset | null {
  return agent.preset ? PRESETS[agent.preset] : null;
}
