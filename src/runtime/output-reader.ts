// The reader of what a turn's agent printed, where its program's form is known.

import type { AgentConfig } from '../core/config/agent-config.ts';
import { ACP_FORMAT } from '../runners/acp/output-reader.ts';
import { createOutputReader, type OutputReader } from '../runners/command/output-reader.ts';
import { presetOf } from '../runners/command/presets.ts';
import { MODEL_FORMAT } from '../runners/model/output-reader.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function readerOf({ agents, effects }: TaskRoom, agent: string): OutputReader | null {
  const config = agents().get(agent);
  const format = config === undefined ? null : formatOf(config);
  return format && createOutputReader(format, () => ({ now: effects.now(), zone: 'UTC' }));
}

function formatOf(config: AgentConfig) {
  if (config.runner === 'acp') return ACP_FORMAT;
  return config.runner === 'model' ? MODEL_FORMAT : presetOf(config);
}
