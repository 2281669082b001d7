// Evidence before done: which checks of a task count, whether its done must wait for them, and what a failed round
// means. Pure; table-tested. Invariant: a change of checks that an agent may have made never counts.
import { result, type TurnEndInput, type TurnEndResult } from './turn-end.ts';
import { retryDelayMs } from './waits.ts';

export interface CheckResult {
  command: string;
  /** `unstarted`: the shell itself could not be run; `stopped`: it was ended with its turn. */
  ended: 'ok' | 'exit' | 'timed_out' | 'output_limit' | 'unstarted' | 'stopped';
  exitCode: number | null;
  tookMs: number;
  output: string; // The last lines of its output, bounded, without secrets.
}

/** Where the checks of a turn stand. `open`: nothing said done yet. `held`: its file says done, which does not count yet. `failed`: asked
 * for again. `gave_up`: the task was paused after the last round. `waived`: a person said done without them. */
export type CheckState = 'open' | 'held' | 'passed' | 'failed' | 'gave_up' | 'waived';

export interface DoneFacts {
  /** Of the task's newest turn that had checks; null when none had. */
  checks: { state: CheckState; commands: number; isRunning: boolean } | null;
  isWaived: boolean; // A person said done without checks since that turn began.
}

/** What becomes of a done that was not there before: it counts, or waits for the checks of its turn. */
export function doneCounts({ checks, isWaived }: DoneFacts): boolean {
  if (checks === null || checks.commands === 0 || isWaived) return true;
  // What an earlier look held stays held, whatever became of the turn: a crash skips no check.
  if (checks.state === 'held') return false;
  // Outside a turn it is a person who says done.
  if (!checks.isRunning) return true;
  return checks.state === 'passed' || checks.state === 'waived';
}

/** Rounds that failed in a row before this turn, for the same words. */
export function failuresBefore(
  before: { state: CheckState; failures: number; revision: string } | null,
  revision: string,
): number {
  if (before === null || before.revision !== revision) return 0;
  return before.state === 'failed' || before.state === 'open' || before.state === 'held'
    ? before.failures
    : 0;
}

const ENDS = {
  ok: 'ok',
  timed_out: 'took too long',
  output_limit: 'printed too much',
  unstarted: 'could not start',
  stopped: 'stopped',
};

/** `npm test: exit code 1`, on one line. */
export function describeCheck(check: Pick<CheckResult, 'command' | 'ended' | 'exitCode'>): string {
  const { command, ended, exitCode } = check;
  const how = ended === 'exit' ? `exit code ${exitCode ?? 'unknown'}` : ENDS[ended];
  const line = command.replace(/\s+/g, ' ').trim();
  return `${line.length > 120 ? `${line.slice(0, 119).toWellFormed()}…` : line}: ${how}`;
}

/** What a turn whose done failed its checks means: it is asked once more, or paused after the last round. */
export function endOfFailedChecks(
  input: Pick<TurnEndInput, 'state' | 'revision' | 'consumed' | 'attempted' | 'attempts' | 'now' | 'random'>,
  { failed, failures, maxRounds }: { failed: CheckResult; failures: number; maxRounds: number },
): TurnEndResult {
  const { revision, now, random } = input;
  const message = `a check failed: ${describeCheck(failed)}`;
  const attempts = input.attempted === revision ? input.attempts : 0;
  const isLast = failures >= maxRounds;
  const retryAt = isLast ? null : now + retryDelayMs(failures, random);
  const times = failures === 1 ? 'once' : `${failures} times in a row`;
  const why = `it said done ${times}, and each time a check failed; last ${describeCheck(failed)}`;
  const end = { ...input, reason: 'checks_failed' as const, message };
  return result(end, { memory: { attempted: revision, attempts, retryAt }, pause: isLast ? why : null });
}

// Whose words stand in a file that opens rights: its person's, or what an agent may have written while its turn ran. Pure;
// table-tested. Invariant: a change that an agent may have made never counts before a person says so.

/** What a file says now, against what was known of it. */
interface WordsChange {
  known: TrustedWords | null; // Null where the file was never seen.
  now: readonly string[];
  /** A turn of an agent ran when the file was last changed, so that the agent may have changed it. */
  turnRan: boolean;
  isOthers: boolean; // Whoever made the file is not the person: a mirror, or an agent.
}

export interface TrustedWords {
  said: readonly string[]; // As a person said them last: these count.
  seen: readonly string[]; // As they stood there last, whoever wrote that.
}

/** What is remembered of the file then. Null when nothing is new. */
export function rememberedWords(change: WordsChange): TrustedWords | null {
  const { known, now, turnRan, isOthers } = change;
  if (known === null) {
    if (now.length === 0) return null;
    return { said: turnRan || isOthers ? [] : [...now], seen: [...now] };
  }
  if (sameWords(known.seen, now)) return null;
  return { said: turnRan ? [...known.said] : [...now], seen: [...now] };
}

export const sameWords = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, at) => word === other[at]);
