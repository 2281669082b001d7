// The reader of what a turn's agent printed, where its preset has one.
import { createOutputReader, type OutputReader } from '../runners/command/output-reader.ts';
import { presetOf } from '../runners/command/presets.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function readerOf({ agents, effects }: TaskRoom, agent: string): OutputReader | null {
  const config = agents().get(agent);
  const preset = config === undefined ? null : presetOf(config);
  return preset && createOutputReader(preset, () => ({ now: effects.now(), zone: 'UTC' }));
}
