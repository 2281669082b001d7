// The reader of what a turn's agent printed, where its program's form is known.

import { type OutputFormat, outputFormatOf } from '../core/config/output-format.ts';
import type { Effects } from '../effects.ts';
import { ACP_FORMAT } from '../runners/acp/output-reader.ts';
import { createOutputReader, type OutputReader } from '../runners/command/output-reader.ts';
import { PRESETS } from '../runners/command/presets.ts';
import { MODEL_FORMAT } from '../runners/model/output-reader.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export function readerOf({ agents, effects }: TaskRoom, agent: string): OutputReader | null {
  const config = agents().get(agent);
  const format = config === undefined ? null : outputFormatOf(config);
  return format && readerOfFormat(format, effects);
}

export function readerOfFormat(format: OutputFormat, effects: Pick<Effects, 'now'>): OutputReader {
  return createOutputReader(known(format), () => ({ now: effects.now(), zone: 'UTC' }));
}

function known(format: OutputFormat) {
  if (format === 'acp') return ACP_FORMAT;
  return format === 'model' ? MODEL_FORMAT : PRESETS[format];
}
