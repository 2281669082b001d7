// Programs whose stream does not say how an answer of their model ended tell it in their telemetry, in the words of
// OpenTelemetry for models. It is written into a file of the turn, read once and removed.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentEvent } from '../../../core/rules/agent-event.ts';

const TAIL_BYTES = 2 ** 20;
const REASONS = /"gen_ai\.response\.finish_reasons":\s*\[([^\]]*)\]/g;
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens', 'content_filter', 'safety', 'error']);

export const telemetryFile = (dir: string): string => join(dir, 'telemetry.json');

/** The trouble of a turn whose last answer was cut off or withheld; null for any other, and where nothing was told. */
export async function takeCutOff(dir: string): Promise<AgentEvent | null> {
  const path = telemetryFile(dir);
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const last = [...buffer.toString('utf8', 0, bytesRead).matchAll(REASONS)].at(-1)?.[1] ?? '';
    const reason = /"([^"]*)"\s*$/.exec(last)?.[1]?.toLowerCase() ?? '';
    if (!CUT.has(reason)) return null;
    return {
      type: 'trouble',
      trouble: { kind: 'answer', message: `its model's answer ended: ${reason}`, until: null },
    };
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
