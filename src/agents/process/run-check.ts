// Runs one shell command beside a turn's agent: under the same wrapper, with the turn's folder and environment, bounded in
// time and output. When it returns, nothing the command started is alive.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { createRedactor } from '../../core/redact.ts';
import type { CheckResult } from '../../core/rules/checks.ts';
import type { Effects } from '../../effects.ts';
import { StopTurn } from '../runner.ts';
import { type LaunchInput, prepareLaunch } from './launch.ts';
import { readLastLines } from './output-log.ts';
import { CONTEXT_FILE, PROMPT_FILE, SHELL } from './process-identity.ts';
import { type ProcessEnd, runProcess } from './run-process.ts';
import { endOrphan } from './terminate.ts';

const SHOWN = { lines: 40, chars: 4000 };

export interface ShellInput extends LaunchInput {
  commandDir: string; // The command's own folder; emptied before it runs.
  timeoutMs: number;
  maxOutputBytes: number;
  signal: AbortSignal; // Aborts with a StopTurn: the command is ended.
  shown?: { lines: number; chars: number };
  alive?: () => void;
}

/** Runs `command` by `sh -c`; returns how it ended and the last lines that it printed. */
export async function runShellCommand(input: ShellInput, command: string): Promise<CheckResult> {
  const { effects, commandDir, shown = SHOWN } = input;
  const begun = effects.monotonicMs();
  const result = (ended: CheckResult['ended'], exitCode: number | null, output: string): CheckResult => ({
    ...{ command, ended, exitCode, output, tookMs: Math.round(effects.monotonicMs() - begun) },
  });
  const launching = await prepareLaunch(input, [SHELL, '-c', command]);
  if (!launching.ok) return result('unstarted', null, launching.message);
  await rm(commandDir, { recursive: true, force: true });
  await mkdir(commandDir, { recursive: true, mode: 0o700 });
  // It reads nothing: its standard input ends at once.
  await writeFile(join(commandDir, PROMPT_FILE), '');
  const { launch } = launching;
  launch.env.TASKROOM_CONTEXT = join(input.dir, CONTEXT_FILE);
  const limit = new AbortController();
  const timer = effects.setTimer(input.timeoutMs, () => limit.abort(new StopTurn('timed_out')), true);
  try {
    const signal = AbortSignal.any([input.signal, limit.signal]);
    const running = runProcess({ turn: input.turn, effects, dir: commandDir, signal }, launch);
    let next = await running.next();
    for (; !next.done; next = await running.next()) {
      input.alive?.();
      const tooMuch = next.value.type === 'output' && next.value.bytes > input.maxOutputBytes;
      if (tooMuch) limit.abort(new StopTurn('output_limit', input.maxOutputBytes));
    }
    const lines = await readLastLines(commandDir, shown.lines, shown.chars);
    const output = next.value.how === 'unstarted' ? next.value.message : lines.join('\n');
    return result(endedAs(next.value), next.value.code, output);
  } finally {
    timer.cancel();
  }
}

function endedAs({ how, code, reason }: ProcessEnd): CheckResult['ended'] {
  if (how === 'unstarted') return 'unstarted';
  if (how === 'exited') return code === 0 ? 'ok' : 'exit';
  if (reason === 'timed_out' || reason === 'output_limit') return reason;
  return how === 'stopped' ? 'stopped' : 'exit';
}

export interface ChecksInput extends Omit<ShellInput, 'commandDir'> {
  commands: readonly string[];
  commandsDir: string; // Folder of the commands' own folders.
}

export async function runChecks({ commands, commandsDir, ...input }: ChecksInput): Promise<CheckResult[]> {
  const redact = redactorFor(input.agent, input.effects);
  const results: CheckResult[] = [];
  for (const [at, command] of commands.entries()) {
    const commandDir = join(commandsDir, String(at + 1));
    await endOrphan(input.room, commandDir, input.turn.id, input.effects);
    const result = await runShellCommand({ ...input, commandDir }, command);
    results.push({ ...result, output: redact(result.output) });
    if (result.ended !== 'ok') break;
  }
  return results;
}

/** Takes the values that the agent's variables were made of, and those it is never shown, out of a text. */
export function redactorFor(agent: AgentConfig | null, { env, withheld }: Effects): (text: string) => string {
  const named = Object.values(agent?.env ?? {}).filter((value) => typeof value !== 'string');
  return createRedactor([...named.map(({ from }) => from), ...withheld].map((name) => env[name]));
}
