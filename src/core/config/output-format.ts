// The form of what an agent's program prints, by name: null where nothing is known of it.
import type { AgentConfig, PresetName } from './agent-config.ts';

export type OutputFormat = 'acp' | 'model' | PresetName;

export function outputFormatOf({
  runner,
  preset,
}: Pick<AgentConfig, 'runner' | 'preset'>): OutputFormat | null {
  return runner === 'acp' || runner === 'model' ? runner : (preset ?? null);
}
