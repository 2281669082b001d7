// The runner for any program: its own command line, or a preset for a known coding agent.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { Problem } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { environmentProblems, findProgram, prepareLaunch, searchPath } from '../process/launch.ts';
import { readEnds } from '../process/output-log.ts';
import { runProcess } from '../process/run-process.ts';
import { failure, toOutcome } from '../process/turn-outcome.ts';
import { type Outcome, type RunInput, type Runner, type RunnerEvent, StopTurn } from '../runner.ts';
import { createOutputFollower } from './output-follower.ts';
import { asOwnLimit, readOwnUsage } from './own-words.ts';
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
    check,
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

async function check(agent: AgentConfig, effects: Effects): Promise<Problem[]> {
  const path = `agents/${agent.id}/agent.json`;
  const problems = environmentProblems(agent, effects);
  const program = presetOf(agent)?.program ?? agent.command?.[0] ?? '';
  // A path relative to the room is looked at when a turn starts: only then is the room known.
  const relative = program.includes('/') && !program.startsWith('/');
  if (!relative && (await findProgram(program, searchPath(agent, effects), '/')) === null) {
    const hint = presetOf(agent)?.install ?? 'install it or change "command"';
    problems.push({
      path,
      line: 1,
      col: 1,
      message: `the program ${JSON.stringify(program)} was not found`,
      hint,
    });
  }
  return problems;
}
