// Reads what an agent printed, from any text to the one form of events, and follows the output of a turn that runs.

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import type { Effects } from '../../effects.ts';
import { withoutControls } from '../process/output-log.ts';
import { OUTPUT_FILE } from '../process/wrapper.ts';
import type { RunnerEvent } from '../runner.ts';
import type { EventReader } from './presets/preset.ts';
import { parseEvent } from './reading/fields.ts';
import type { WordClock } from './reading/limit-time.ts';
import { takeCutOff } from './reading/telemetry.ts';
import { isHopeless, NOTHING_TOLD, takeIn } from './verdict.ts';

export type OutputReader = ReturnType<typeof createOutputReader>;

export function createOutputReader(format: { reader(): EventReader }, clock: () => WordClock) {
  const splitter = createLineSplitter();
  const reader = format.reader();
  function eventsOf(line: string): AgentEvent[] {
    const event = parseEvent(line);
    if (event !== null) return reader.event(event, clock());
    const text = withoutControls(line);
    if (text.trim() === '') return [];
    return reader.line?.(text, clock()) ?? [{ type: 'line', text }];
  }
  return {
    read: (text: string) => splitter.push(text).flatMap(eventsOf),
    end: () => splitter.rest().flatMap(eventsOf),
  };
}

const LONGEST = 8 * 1024 * 1024;

export function createLineSplitter() {
  let begun = '';
  let isTooLong = false;
  return {
    push(text: string) {
      const lines = text.split('\n');
      const last = lines.pop()!;
      if (lines.length === 0) {
        begun = isTooLong ? '' : begun + last;
      } else {
        lines[0] = begun + lines[0]!;
        if (isTooLong) lines.shift();
        isTooLong = false;
        begun = last;
      }
      if (begun.length > LONGEST) {
        begun = '';
        isTooLong = true;
      }
      return lines.filter((line) => line.length <= LONGEST).map((line) => line.replace(/\r$/, ''));
    },
    rest() {
      const line = begun;
      begun = '';
      return line === '' ? [] : [line];
    },
  };
}

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

/** Each piece counts until the next is asked for: all lie in the same memory, which a stream would take anew for each. */
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
