// The runner for any program: its own command line, or a preset for a known coding agent.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { Problem } from '../../core/errors.ts';
import type { TurnUsage } from '../../core/rules/turn.ts';
import type { Effects } from '../../effects.ts';
import { environmentProblems, findProgram, prepareLaunch, searchPath } from '../process/launch.ts';
import { readEnds } from '../process/output-log.ts';
import { runProcess } from '../process/run-process.ts';
import { failure, toOutcome } from '../process/turn-outcome.ts';
import type { Outcome, RunInput, Runner, RunnerEvent } from '../runner.ts';
import { asOwnLimit, readOwnUsage } from './own-words.ts';
import { PRESETS, type Preset, readSession } from './presets.ts';

/** Sessions are named at one end of the output: enough for the longest first or last event. */
const SESSION_BYTES = 256 * 1024;
/** Of what a program prints at once: enough to find a line of its own words in. */
const OWN_WORDS_BYTES = 16 * 1024;
/** From the third attempt on an agent starts afresh. */
const RESUMED_ATTEMPTS = 2;

/** Runs `command` of the agent, or its preset, with the prompt on stdin and the output on disk. */
export function createCommandRunner(): Runner {
  return {
    name: 'command',
    kind: 'command',
    survives: true,
    streams: (agent) => presetOf(agent)?.streams ?? false,
    check,
    run,
  };
}

async function* run(input: RunInput): AsyncGenerator<RunnerEvent, Outcome, void> {
  const { agent } = input;
  const preset = presetOf(agent);
  // A session that can't be resumed any more must not fail every attempt.
  const resumed = input.turn.attempt <= RESUMED_ATTEMPTS ? input.session : null;
  const argv = preset ? [preset.program, ...preset.argv(agent.model, resumed)] : (agent.command ?? []);
  const launching = input.adopt ? null : await prepareLaunch(input, argv);
  if (launching && !launching.ok) return failure('exit', launching.message);
  const running = runProcess(input, launching?.launch ?? null);
  let session: string | null = null;
  let used = '';
  for (;;) {
    const next = await running.next();
    const usage = !preset && (next.done || next.value.type === 'output') ? await findUsage(input.dir) : null;
    if (usage !== null && JSON.stringify(usage) !== used) {
      used = JSON.stringify(usage);
      yield { type: 'usage', usage };
    }
    // Looked for while the output is short, and once more at its end.
    if (next.done || (next.value.type === 'output' && next.value.bytes <= SESSION_BYTES)) {
      const found: string | null = preset && session === null ? await findSession(preset, input.dir) : null;
      if (found !== null) {
        session = found;
        yield { type: 'session', id: found };
      }
    }
    if (next.done) {
      const outcome = await toOutcome(next.value, input.dir);
      return preset ? outcome : asOwnLimit(outcome, await readOwnWords(input.dir));
    }
    if (next.value.type !== 'tick') yield next.value;
  }
}

async function findUsage(dir: string): Promise<TurnUsage | null> {
  return readOwnUsage(await readOwnWords(dir));
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

async function findSession(preset: Preset, dir: string): Promise<string | null> {
  const { head, tail } = await readEnds(dir, SESSION_BYTES);
  return readSession(preset, head) ?? readSession(preset, tail);
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

function presetOf(agent: AgentConfig): Preset | null {
  return agent.preset ? PRESETS[agent.preset] : null;
}
