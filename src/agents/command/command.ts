// The runner for any program: its own command line, or a preset for a known coding agent.
import { join } from 'node:path';
import type { TurnUsage } from '../../core/rules/turn.ts';
import { type Launch, missingHere, prepareLaunch } from '../process/launch.ts';
import { failure, readTail, toOutcome } from '../process/output-log.ts';
import { OUTPUT_FILE } from '../process/process-identity.ts';
import { runProcess } from '../process/run-process.ts';
import { type Outcome, type RunInput, type Runner, type RunnerEvent, StopTurn } from '../runner.ts';
import { createOutputFollower, followRun } from './output-reader.ts';
import { PRESETS, prepareProgram } from './presets.ts';
import { dropsSession, judge, MOST_WORDS, withWords } from './verdict.ts';

/** Runs `command` of the agent, or its preset, with the prompt on stdin and the output on disk. */
export function createCommandRunner(): Runner {
  return {
    name: 'command',
    kind: 'command',
    survives: true,
    // Every preset's program tells of its work while it works.
    streams: ({ preset }) => preset !== null,
    check(agent, effects, room) {
      const preset = agent.preset && PRESETS[agent.preset];
      const program = preset?.program ?? agent.command?.[0] ?? '';
      return missingHere(agent, effects, room, program, preset?.install ?? 'install it or change "command"');
    },
    run,
  };
}

async function* run(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { agent, dir } = input;
  const preset = agent.preset && PRESETS[agent.preset];
  let launch: Launch | null = null;
  if (!input.adopt) {
    const launching = preset
      ? await prepareProgram(input, [preset.program], preset.start)
      : await prepareLaunch(input, agent.command ?? []);
    if (!launching.ok) return failure('not_started', launching.message);
    launch = launching.launch;
  }
  const giveUp = new AbortController();
  const signal = AbortSignal.any([input.signal, giveUp.signal]);
  const running = runProcess({ ...input, signal }, launch);
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
