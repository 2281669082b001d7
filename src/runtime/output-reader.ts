// The reader of what a turn's agent printed, where its preset has one.
import type { PresetName } from '../core/config/agent-config.ts';
import type { Effects } from '../effects.ts';
import { createOutputReader, type OutputReader } from '../runners/command/output-reader.ts';
import { PRESETS } from '../runners/command/presets.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function readerOf({ agents, effects }: TaskRoom, agent: string): OutputReader | null {
  const preset = agents().get(agent)?.preset;
  return preset ? readerOfPreset(preset, effects) : null;
}

export function readerOfPreset(preset: PresetName, effects: Pick<Effects, 'now'>): OutputReader {
  return createOutputReader(PRESETS[preset], () => ({ now: effects.now(), zone: 'UTC' }));
}
