// Reads what an agent printed, from any text to the one form of events, and follows the output of a turn that runs.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AgentEvent } from '../../core/rules/turn.ts';
import type { Effects } from '../../effects.ts';
import { readTail, withoutControls } from '../process/output-log.ts';
import { ifThere, OUTPUT_FILE } from '../process/process-identity.ts';
import type { runProcess } from '../process/run-process.ts';
import type { RunnerEvent } from '../runner.ts';
import { telemetryFile } from './presets/preset.ts';
import { cutOff, type EventReader } from './reading/events.ts';
import { parseFields } from './reading/fields.ts';
import { type WordClock, wordClock } from './reading/trouble.ts';
import { addEvent, EMPTY_REPORT, isHopeless } from './verdict.ts';

export type OutputReader = ReturnType<typeof createOutputReader>;

export function createOutputReader(format: { reader(): EventReader }, clock: () => WordClock) {
  const splitter = createLineSplitter();
  const reader = format.reader();
  function eventsOf(line: string): AgentEvent[] {
    const event = parseFields(line);
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

const LONGEST = 8 * 1024 * 1024; // Longer lines are left out.

function createLineSplitter() {
  /** The line that has no end yet; null once it is too long. */
  let begun: string | null = '';
  return {
    push(text: string): string[] {
      const [first, ...more] = text.split('\n');
      const pieces = [begun === null ? null : begun + first, ...more];
      begun = pieces.pop() ?? null;
      if (begun !== null && begun.length > LONGEST) begun = null;
      const lines = pieces.filter((line): line is string => line !== null && line.length <= LONGEST);
      return lines.map((line) => line.replace(/\r$/, ''));
    },
    rest(): string[] {
      const line = begun;
      begun = '';
      return line ? [line] : [];
    },
  };
}

/** Follows a process and its output to its end; calls `giveUp` while the agent is hopeless. */
export async function* followRun(
  running: ReturnType<typeof runProcess>,
  follower: Pick<ReturnType<typeof createOutputFollower>, 'read' | 'isHopeless'>,
  giveUp: () => void,
) {
  for (;;) {
    const next = await running.next();
    if (next.done) return next.value;
    if (next.value.type === 'output') yield* await follower.read();
    if (follower.isHopeless()) giveUp();
    if (next.value.type !== 'tick') yield next.value;
  }
}

/** @param dir the turn's folder */
export function createOutputFollower(format: { reader(): EventReader }, dir: string, effects: Effects) {
  const reader = createOutputReader(format, () => wordClock(effects));
  const decoder = new StringDecoder('utf8');
  let position = 0;
  let report = EMPTY_REPORT;

  function add(events: AgentEvent[]): RunnerEvent[] {
    const { session, usage } = report;
    for (const event of events) report = addEvent(report, event, effects.monotonicMs());
    const told: RunnerEvent[] = [];
    if (report.session !== null && report.session !== session)
      told.push({ type: 'session', id: report.session });
    if (report.usage !== null && report.usage !== usage) told.push({ type: 'usage', usage: report.usage });
    return told;
  }

  /** Reads what is new in the output; returns what there is to tell of it. */
  async function read(): Promise<RunnerEvent[]> {
    const told: RunnerEvent[] = [];
    for await (const chunk of readChunks(join(dir, OUTPUT_FILE), position)) {
      position += chunk.length;
      told.push(...add(reader.read(decoder.write(chunk))));
    }
    return told;
  }

  return {
    read,
    /** Whether the agent waits for what will not come soon. */
    isHopeless: () => isHopeless(report, effects.monotonicMs(), effects.now()),
    /** Reads the whole rest, when the program has ended. */
    async finish() {
      const told = [...(await read()), ...add(reader.end())];
      const cut = await takeCutOff(dir);
      return report.trouble === null ? [...told, ...add(cut)] : told;
    },
    report: () => report,
  };
}

const TELEMETRY_BYTES = 2 ** 20;
const REASONS = /"gen_ai\.response\.finish_reasons":\s*\[([^\]]*)\]/g;
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens', 'content_filter', 'safety', 'error']);

/** The trouble of a turn whose last answer was cut off or withheld; none where nothing was told. */
async function takeCutOff(dir: string): Promise<AgentEvent[]> {
  const path = telemetryFile(dir);
  const last = [...(await readTail(path, TELEMETRY_BYTES)).matchAll(REASONS)].at(-1)?.[1] ?? '';
  await rm(path, { force: true });
  const reason = /"([^"]*)"\s*$/.exec(last)?.[1]?.toLowerCase() ?? '';
  return CUT.has(reason) ? cutOff(`its model's answer ended: ${reason}`) : [];
}

const CHUNK_BYTES = 256 * 1024;

/** A chunk is valid until the next read, because all chunks share one buffer: a stream would take a new one for each. */
async function* readChunks(path: string, from: number): AsyncGenerator<Buffer, void, void> {
  const file = await ifThere(open(path, 'r'));
  if (file === null) return;
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let position = from; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
