// Follows the output of a turn's program from its first byte on, and keeps what its agent told of the turn.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import type { Effects } from '../../effects.ts';
import { OUTPUT_FILE } from '../process/wrapper.ts';
import type { RunnerEvent } from '../runner.ts';
import { createOutputReader } from './output-reader.ts';
import type { EventReader } from './presets/preset.ts';
import { takeCutOff } from './reading/telemetry.ts';
import { isHopeless, NOTHING_TOLD, takeIn } from './reading/told.ts';

const PIECE_BYTES = 256 * 1024;

export function createOutputFollower(format: { reader(): EventReader }, dir: string, effects: Effects) {
  const zone = effects.env.TZ || new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const reader = createOutputReader(format, () => ({ now: effects.now(), zone }));
  const decoder = new StringDecoder('utf8');
  let position = 0;
  let told = NOTHING_TOLD;

  function report(events: AgentEvent[]): RunnerEvent[] {
    const before = told;
    for (const event of events) told = takeIn(told, event, effects.monotonicMs());
    const reports: RunnerEvent[] = [];
    if (told.session !== null && told.session !== before.session)
      reports.push({ type: 'session', id: told.session });
    if (told.usage !== null && told.usage !== before.usage)
      reports.push({ type: 'usage', usage: told.usage });
    return reports;
  }

  async function read(): Promise<RunnerEvent[]> {
    const reports: RunnerEvent[] = [];
    for await (const piece of pieces(join(dir, OUTPUT_FILE), position)) {
      position += piece.length;
      reports.push(...report(reader.read(decoder.write(piece))));
    }
    return reports;
  }

  return {
    /** What there is to report of the output that is new since the last call. */
    read,
    /** The same of the whole rest, when the program has ended. */
    async finish() {
      const reports = await read();
      reports.push(...report(reader.end()));
      const cut = await takeCutOff(dir);
      return cut === null || told.trouble !== null ? reports : [...reports, ...report([cut])];
    },
    told: () => told,
    /** Whether the agent waits for what will not come soon. */
    isHopeless: () => isHopeless(told, effects.monotonicMs(), effects.now()),
  };
}

/** Each piece counts until the next is asked for: all lie in the same memory. */
async function* pieces(path: string, from: number): AsyncGenerator<Buffer, void, void> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    // Nothing was printed yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    const buffer = Buffer.alloc(PIECE_BYTES);
    for (let position = from; ; ) {
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
