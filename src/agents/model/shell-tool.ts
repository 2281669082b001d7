// The shell of a model that may run programs: one command after another, each in a folder of the turn's own, bounded in time and
// output; all it started ends with it.
import { join } from 'node:path';
import type { CheckResult } from '../../core/rules/checks.ts';
import { runShellCommand } from '../process/run-check.ts';
import { PROGRAMS_DIR } from '../process/terminate.ts';
import type { AgentTool, RunInput } from '../runner.ts';
import { number, text, tool } from './workplace.ts';

const DEFAULT_S = 300;
const LONGEST_S = 3_600;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const SHOWN = { lines: 400, chars: 16_000 };
/** A command that works is no silence of the agent's. */
const ALIVE_EVERY_MS = 30_000;

/**
 * @param secret name of the variable with the model's key, which no command gets to see; null for none
 * @param onAlive called now and then while a command runs
 */
export function shellTool(input: RunInput, secret: string | null, onAlive: () => void): AgentTool {
  const { effects, dir, agent } = input;
  let count = 0;
  const withheld = new Set([...effects.withheld, ...(secret === null ? [] : [secret])]);
  // What the agent's file hands over by name would bring the key back.
  const env = Object.fromEntries(
    Object.entries(agent.env).filter(([, value]) => typeof value === 'string' || value.from !== secret),
  );
  const shape = {
    command: text('For /bin/sh, in your folder'),
    seconds: number(`Longest time; ${DEFAULT_S} when left out, ${LONGEST_S} at most`).optional(),
  };
  const about =
    'Runs a shell command and answers with the end of what it printed. Nothing it starts outlives it.';
  return tool('run_command', about, shape, async ({ command, seconds = DEFAULT_S }) => {
    count += 1;
    let told = effects.monotonicMs();
    const run = {
      ...{ ...input, agent: { ...agent, env }, effects: { ...effects, withheld } },
      commandDir: join(dir, PROGRAMS_DIR, String(count)),
      timeoutMs: Math.min(Math.max(1, seconds), LONGEST_S) * 1000,
      ...{ maxOutputBytes: MAX_OUTPUT_BYTES, shown: SHOWN },
      alive() {
        if (effects.monotonicMs() - told < ALIVE_EVERY_MS) return;
        told = effects.monotonicMs();
        onAlive();
      },
    };
    const { ended, exitCode, output } = await runShellCommand(run, command);
    const how = ended === 'exit' && exitCode !== null ? `exit code ${exitCode}` : ENDS[ended];
    return `${how}\n${output === '' ? 'It printed nothing.' : output}`;
  });
}

const ENDS: Readonly<Record<CheckResult['ended'], string>> = {
  ok: 'exit code 0',
  exit: 'ended without an exit code',
  timed_out: 'stopped: it took too long',
  output_limit: 'stopped: it printed too much',
  stopped: 'stopped',
  unstarted: 'could not start',
};
