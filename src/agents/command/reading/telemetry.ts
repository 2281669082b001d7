// Some programs tell how an answer of their model ended in their telemetry alone, in OpenTelemetry's words for models. It goes
// into a file of the turn, which is read once and removed.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../../../core/rules/turn.ts';
import { ifThere } from '../../process/process-identity.ts';
import { cutOff } from './events.ts';

const TAIL_BYTES = 2 ** 20;
const REASONS = /"gen_ai\.response\.finish_reasons":\s*\[([^\]]*)\]/g;
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens', 'content_filter', 'safety', 'error']);

export const telemetryFile = (dir: string): string => join(dir, 'telemetry.json');

/** The trouble of a turn whose last answer was cut off or withheld; none where nothing was told. */
export async function takeCutOff(dir: string): Promise<AgentEvent[]> {
  const file = await ifThere(open(telemetryFile(dir)));
  if (file === null) return [];
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const last = [...buffer.toString('utf8', 0, bytesRead).matchAll(REASONS)].at(-1)?.[1] ?? '';
    const reason = /"([^"]*)"\s*$/.exec(last)?.[1]?.toLowerCase() ?? '';
    return CUT.has(reason) ? cutOff(`its model's answer ended: ${reason}`) : [];
  } finally {
    await file.close();
    await rm(telemetryFile(dir), { force: true });
  }
}
