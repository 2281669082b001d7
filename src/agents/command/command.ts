// The runner for any program: its own command line, or a preset for a known coding agent.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { AgentEvent, TurnUsage } from '../../core/rules/turn.ts';
import type { Effects } from '../../effects.ts';
import { missingHere, prepareLaunch } from '../process/launch.ts';
import { failure, readTail, toOutcome, withoutControls } from '../process/output-log.ts';
import { ifThere, OUTPUT_FILE } from '../process/process-identity.ts';
import { runProcess } from '../process/run-process.ts';
import { type Outcome, type RunInput, type Runner, type RunnerEvent, StopTurn } from '../runner.ts';
import { telemetryFile } from './presets/preset.ts';
import { prepareProgram, presetOf } from './presets.ts';
import { cutOff, type EventReader } from './reading/events.ts';
import { parseFields } from './reading/fields.ts';
import { type WordClock, wordClock } from './reading/trouble.ts';
import { addEvent, dropsSession, EMPTY_REPORT, isHopeless, judge, MOST_WORDS, withWords } from './verdict.ts';

/** Runs `command` of the agent, or its preset, with the prompt on stdin and the output on disk. */
export function createCommandRunner(): Runner {
  return {
    name: 'command',
    kind: 'command',
    survives: true,
    // Every preset's program tells of its work while it works.
    streams: (agent) => presetOf(agent) !== null,
    check(agent, effects, room) {
      const preset = presetOf(agent);
      const program = preset?.program ?? agent.command?.[0] ?? '';
      return missingHere(agent, effects, room, program, preset?.install ?? 'install it or change "command"');
    },
    run,
  };
}

async function* run(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { agent, dir } = input;
  const preset = presetOf(agent);
  const prepare = () =>
    preset
      ? prepareProgram(input, [preset.program], preset.start)
      : prepareLaunch(input, agent.command ?? []);
  const launching = input.adopt ? null : await prepare();
  if (launching && !launching.ok) return failure('not_started', launching.message);
  const giveUp = new AbortController();
  const signal = AbortSignal.any([input.signal, giveUp.signal]);
  const running = runProcess({ ...input, signal }, launching?.launch ?? null);
  if (preset === null) {
    const follower = createOwnFollower(dir);
    const ended = await toOutcome(yield* followRun(running, follower, () => {}), dir);
    yield* await follower.read();
    const output = await readOwnWords(dir);
    return withWords(asOwnLimit(ended, output), output.trim().split('\n').at(-1)!.slice(0, MOST_WORDS));
  }
  const follower = createOutputFollower(preset, dir, input.effects);
  const end = yield* followRun(running, follower, () => giveUp.abort(new StopTurn('stalled')));
  yield* await follower.finish();
  const ended = await toOutcome(end, dir);
  if (dropsSession(ended, follower.report())) yield { type: 'session', id: null };
  return judge(ended, follower.report(), preset, agent.id);
}

// What a program without a preset tells about itself, in lines of its output:
//
//   taskroom: usage input=1200 output=340 cost=0.02        what it used so far in this turn; the last such line counts
//   taskroom: rate limited until 2026-11-22T15:00:00Z      with exit code 75 (EX_TEMPFAIL of sysexits.h): try me then

const EX_TEMPFAIL = 75;
const OWN_WORDS_BYTES = 16 * 1024; // The end of the output that is searched for such lines.
const USAGE = /^taskroom: usage\b(.*)$/gm;
const LIMITED = /^taskroom: rate limited(?: until (\S+))?[ \t]*\r?$/gm;
const AMOUNT = /\b(input|output|cost)=(\d+(?:\.\d+)?)/g;
const readOwnWords = (dir: string) => readTail(join(dir, OUTPUT_FILE), OWN_WORDS_BYTES);

function createOwnFollower(dir: string) {
  let told = '';
  return {
    isHopeless: () => false,
    async read(): Promise<RunnerEvent[]> {
      const usage = readOwnUsage(await readOwnWords(dir));
      if (usage === null || JSON.stringify(usage) === told) return [];
      told = JSON.stringify(usage);
      return [{ type: 'usage', usage }];
    },
  };
}

/** The last usage that whole lines of the output tell; null for none. */
export function readOwnUsage(output: string): TurnUsage | null {
  const whole = output.slice(0, output.lastIndexOf('\n') + 1);
  const line = [...whole.matchAll(USAGE)].at(-1)?.[1] ?? '';
  const amounts = new Map([...line.matchAll(AMOUNT)].map(([, key, amount]) => [key, Number(amount)]));
  if (amounts.size === 0) return null;
  return {
    inputTokens: Math.round(amounts.get('input') ?? 0),
    outputTokens: Math.round(amounts.get('output') ?? 0),
    costUsd: amounts.get('cost') ?? null,
  };
}

/** An end with exit code 75 and the line above is no failure of the program: its usage limit was reached. */
export function asOwnLimit(outcome: Outcome, output: string): Outcome {
  if (outcome.reason !== 'exit' || outcome.exitCode !== EX_TEMPFAIL) return outcome;
  const last = [...output.matchAll(LIMITED)].at(-1);
  if (last === undefined) return outcome;
  const at = Date.parse(last[1] ?? '');
  const until = Number.isNaN(at) ? null : at;
  const message = `its usage limit is reached${until === null ? '' : ` until ${last[1]}`}`;
  return { ...outcome, reason: 'rate_limited', message, until };
}

// Reads what an agent printed, from any text to the one form of events, and follows the output of a turn that runs.

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
