// The checks of one turn, one after the other up to the first that fails. What an earlier try of them left running is
// ended before, and no secret stands in what is handed back of their output.
import { join } from 'node:path';
import { createRedactor } from '../../core/redact.ts';
import type { CheckResult } from '../../core/rules/checks.ts';
import { endOrphan } from './end-orphan.ts';
import { runShellCommand, type ShellInput } from './run-check.ts';

export interface ChecksInput extends Omit<ShellInput, 'commandDir'> {
  commands: readonly string[];
  /** Absolute path of the folder that each command's own lies in. */
  commandsDir: string;
}

export async function runChecks({ commands, commandsDir, ...input }: ChecksInput): Promise<CheckResult[]> {
  const redact = createRedactor(secretsOf(input));
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

/** What the agent's variables were made of, and what it is never shown. */
function secretsOf({ agent, effects, withheldEnv }: Pick<ChecksInput, 'agent' | 'effects' | 'withheldEnv'>) {
  const named = Object.values(agent.env).flatMap((value) => (typeof value === 'string' ? [] : [value.from]));
  return [...named, ...withheldEnv].map((name) => effects.env[name]);
}
