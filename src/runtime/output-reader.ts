// The reader of what a turn's agent printed, where its program's form is known.
import { ACP_FORMAT } from '../runners/acp/output-reader.ts';
import { createOutputReader, type OutputReader } from '../runners/command/output-reader.ts';
import { presetOf } from '../runners/command/presets.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function readerOf({ agents, effects }: TaskRoom, agent: string): OutputReader | null {
  const config = agents().get(agent);
  const format = config === undefined ? null : config.runner === 'acp' ? ACP_FORMAT : presetOf(config);
  return format && createOutputReader(format, () => ({ now: effects.now(), zone: 'UTC' }));
}
