// The reader of what a turn's agent printed, where its program's form is known.
import { ACP_FORMAT } from '../../agents/acp/output-reader.ts';
import { createOutputReader, type OutputReader } from '../../agents/command/output-reader.ts';
import { PRESETS } from '../../agents/command/presets.ts';
import { MODEL_FORMAT } from '../../agents/model/output-reader.ts';
import type { OutputFormat } from '../../core/config/agent-env.ts';
import type { Effects } from '../../effects.ts';

/** @param format as `turnOutput` tells it. @returns null for one that is not known: its output is shown as it is */
export function readerOf(format: string | null, effects: Pick<Effects, 'now'>): OutputReader | null {
  const forms = { ...PRESETS, acp: ACP_FORMAT, model: MODEL_FORMAT };
  const form = Object.hasOwn(forms, format ?? '') ? forms[format as OutputFormat] : undefined;
  return form === undefined ? null : createOutputReader(form, () => ({ now: effects.now(), zone: 'UTC' }));
}
