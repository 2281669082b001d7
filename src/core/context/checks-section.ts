// What a prompt says of checks: which commands decide whether a done counts, and how the last done failed them. What a
// command printed is data: it stands between this turn's markers.
import { type CheckResult, describeCheck } from '../rules/checks.ts';
import { defuse, fence, oneLine } from './fence.ts';

export interface PromptChecks {
  commands: readonly string[];
  /** The check that the last done failed; null when there was none. */
  failed: CheckResult | null;
  failures: number;
  maxRounds: number;
}

const MAX_COMMAND = 300;

export function checksSection({ commands, failed, failures, maxRounds }: PromptChecks, tag: string): string {
  const listed = commands.map((command) => `- ${defuse(oneLine(command).slice(0, MAX_COMMAND), tag)}`);
  const lines = [
    '## Checks',
    'When you mark this task done, your turn ends and these commands are run, in this order and in the folder you work in. Done counts only when each ends with 0. Editing or leaving out a check changes nothing; run them yourself before you say done.',
    ...listed,
  ];
  if (failed === null) return lines.join('\n');
  const round = failures > 0 ? ` (${failures} of ${maxRounds} rounds; then the task is paused)` : '';
  const how = defuse(oneLine(describeCheck(failed)), tag);
  const text = failed.output.trim() === '' ? '(it printed nothing)' : failed.output;
  const output = fence({ what: 'output of a check', author: 'check', trust: 'agent', text }, tag);
  lines.push('', `The last done did not count${round}: ${how}`, output);
  return lines.join('\n');
}
