// The runner for any program: its own command line, or a preset for a known coding agent.

import type { TurnUsage } from '../../core/rules/turn.ts';
import { missingHere, prepareLaunch } from '../process/launch.ts';
import { readEnds } from '../process/output-log.ts';
import { runProcess } from '../process/run-process.ts';
import { failure, toOutcome } from '../process/turn-outcome.ts';
import { type Outcome, type RunInput, type Runner, type RunnerEvent, StopTurn } from '../runner.ts';
import { createOutputFollower } from './output-reader.ts';
import { preparePreset } from './prepare-preset.ts';
import type { Preset } from './presets/preset.ts';
import { presetOf } from './presets.ts';
import { dropsSession, judge, withWords } from './verdict.ts';

/** Of what a program prints at once: enough to find a line of its own words in. */
const OWN_WORDS_BYTES = 16 * 1024;
const MOST_WORDS = 300;

/** Runs `command` of the agent, or its preset, with the prompt on stdin and the output on disk. */
export function createCommandRunner(): Runner {
  return {
    name: 'command',
    kind: 'command',
    survives: true,
    // Every preset's program tells of its work while it works.
    streams: (agent) => presetOf(agent) !== null,
    check(agent, effects) {
      const preset = presetOf(agent);
      const program = preset?.program ?? agent.command?.[0] ?? '';
      return missingHere(agent, effects, program, preset?.install ?? 'install it or change "command"');
    },
    run,
  };
}

async function* run(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const preset = presetOf(input.agent);
  if (preset !== null) return yield* runPreset(input, preset);
  const launching = input.adopt ? null : await prepareLaunch(input, input.agent.command ?? []);
  if (launching && !launching.ok) return failure('exit', launching.message);
  const running = runProcess(input, launching?.launch ?? null);
  let used = '';
  for (;;) {
    const next = await running.next();
    const usage =
      next.done || next.value.type === 'output' ? readOwnUsage(await readOwnWords(input.dir)) : null;
    if (usage !== null && JSON.stringify(usage) !== used) {
      used = JSON.stringify(usage);
      yield { type: 'usage', usage };
    }
    if (next.done) {
      const said = await readOwnWords(input.dir);
      const ended = asOwnLimit(await toOutcome(next.value, input.dir), said);
      return withWords(ended, said.trim().split('\n').at(-1)!.slice(0, MOST_WORDS));
    }
    if (next.value.type !== 'tick') yield next.value;
  }
}

async function* runPreset(input: RunInput, preset: Preset): AsyncGenerator<RunnerEvent, Outcome, void> {
  const launching = input.adopt ? null : await preparePreset(input, preset);
  if (launching && !launching.ok) return failure('exit', launching.message);
  const giveUp = new AbortController();
  const signal = AbortSignal.any([input.signal, giveUp.signal]);
  const running = runProcess({ ...input, signal }, launching?.launch ?? null);
  const follower = createOutputFollower(preset, input.dir, input.effects);
  for (;;) {
    const next = await running.next();
    if (next.done) {
      yield* await follower.finish();
      const ended = await toOutcome(next.value, input.dir);
      if (dropsSession(ended, follower.told())) yield { type: 'session', id: null };
      return judge(ended, follower.told(), preset, input.agent.id);
    }
    if (next.value.type === 'output') yield* await follower.read();
    if (follower.isHopeless()) giveUp.abort(new StopTurn('stalled'));
    if (next.value.type !== 'tick') yield next.value;
  }
}

async function readOwnWords(dir: string): Promise<string> {
  try {
    return (await readEnds(dir, OWN_WORDS_BYTES)).tail;
  } catch (error) {
    // The turn's folder may be gone, and how the turn ended does not hang on it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

// What a program that is nobody's preset tells about itself, in lines of its output:
//
//   taskroom: usage input=1200 output=340 cost=0.02        what it used so far in this turn; the last such line counts
//   taskroom: rate limited until 2026-11-22T15:00:00Z      with exit code 75 (EX_TEMPFAIL of sysexits.h): try me then

const EX_TEMPFAIL = 75;
const USAGE = /^taskroom: usage\b(.*)$/gm;
const LIMITED = /^taskroom: rate limited(?: until (\S+))?[ \t]*\r?$/gm;
const AMOUNT = /\b(input|output|cost)=(\d+(?:\.\d+)?)/g;

/** The last usage that whole lines of the output tell; null for none. */
export function readOwnUsage(output: string): TurnUsage | null {
  const whole = output.slice(0, output.lastIndexOf('\n') + 1);
  const last = [...whole.matchAll(USAGE)].at(-1)?.[1];
  if (last === undefined) return null;
  const said = new Map([...last.matchAll(AMOUNT)].map(([, key, amount]) => [key, Number(amount)]));
  if (said.size === 0) return null;
  return {
    inputTokens: Math.round(said.get('input') ?? 0),
    outputTokens: Math.round(said.get('output') ?? 0),
    costUsd: said.get('cost') ?? null,
  };
}

/** An end with exit code 75 and the line above is no failure of the program: its usage limit was reached. */
export function asOwnLimit(outcome: Outcome, output: string): Outcome {
  if (outcome.reason !== 'exit' || outcome.exitCode !== EX_TEMPFAIL) return outcome;
  const last = [...output.matchAll(LIMITED)].at(-1);
  if (last === undefined) return outcome;
  const until = Date.parse(last[1] ?? '');
  const told = Number.isNaN(until) ? null : until;
  const message =
    told === null ? 'its usage limit is reached' : `its usage limit is reached until ${last[1]}`;
  return { ...outcome, reason: 'rate_limited', message, until: told };
}
