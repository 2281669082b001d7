// The reader of what a turn's agent printed, where its program's form is known.
import type { AgentConfig, PresetName } from '../core/config/agent-config.ts';
import type { Effects } from '../effects.ts';
import { ACP_FORMAT } from '../runners/acp/output-reader.ts';
import { createOutputReader, type OutputReader } from '../runners/command/output-reader.ts';
import { PRESETS } from '../runners/command/presets.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

/** The form of an agent's output, by name. */
export type OutputFormat = 'acp' | PresetName;

function formatOf({ runner, preset }: Pick<AgentConfig, 'runner' | 'preset'>): OutputFormat | null {
  return runner === 'acp' ? 'acp' : (preset ?? null);
}

export function readerOf({ agents, effects }: TaskRoom, agent: string): OutputReader | null {
  const config = agents().get(agent);
  const format = config === undefined ? null : formatOf(config);
  return format && readerOfFormat(format, effects);
}

export function readerOfFormat(format: OutputFormat, effects: Pick<Effects, 'now'>): OutputReader {
  const known = format === 'acp' ? ACP_FORMAT : PRESETS[format];
  return createOutputReader(known, () => ({ now: effects.now(), zone: 'UTC' }));
}
