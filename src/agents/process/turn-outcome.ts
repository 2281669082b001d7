// Turns the end of a process into the outcome of a turn: state by reason, one line for a person.
import { constants } from 'node:os';
import type { TurnReason } from '../../core/rules/turn.ts';
import { type Outcome, outcomeFor, stopReason } from '../runner.ts';
import { oneLine, readLastLine } from './output-log.ts';
import type { ProcessEnd } from './run-process.ts';

const STOPPED: Partial<Record<TurnReason, string>> = {
  timed_out: 'stopped: it took longer than its timeout',
  stalled: 'stopped: it printed nothing for too long',
  output_limit: 'stopped: it printed more than the limit',
  rate_limited: 'stopped: the usage limit was reached',
  budget: 'stopped: a budget was used up',
  interrupted: 'stopped together with the runtime',
  person: 'killed by a person',
  paused: 'stopped: the task was paused or blocked',
  canceled: 'stopped: the task was canceled',
  done: 'stopped: the task was done',
};

export function failure(reason: 'exit' | 'refused' | 'not_started', message: string): Outcome {
  return outcomeFor(reason, oneLine(message));
}

/** The outcome of a turn that was stopped. */
export function stoppedOutcome(signal: AbortSignal): Outcome {
  const reason = stopReason(signal);
  return outcomeFor(reason, STOPPED[reason] ?? `stopped: ${reason}`);
}

/** The outcome of a turn whose program is its work. @param dir the turn's folder: its output's last line explains a failure */
export async function toOutcome(end: ProcessEnd, dir: string): Promise<Outcome> {
  const reason = end.how === 'exited' && end.code === 0 ? 'ok' : end.reason;
  const signal = signalOf(end.code);
  const rest = end.survivors.length > 0 ? `; could not be ended: pid ${end.survivors.join(', ')}` : '';
  const message = oneLine((await describe(end, dir)) + rest);
  return { ...outcomeFor(reason, message), exitCode: end.code, signal };
}

async function describe(end: ProcessEnd, dir: string): Promise<string> {
  if (end.how === 'unstarted') return end.message;
  if (end.how === 'lost') return 'the process vanished without recording how it ended';
  if (end.how === 'stopped') return STOPPED[end.reason] ?? `stopped: ${end.reason}`;
  if (end.code === 0) return '';
  const signal = signalOf(end.code);
  const what = signal ? `ended by ${signal} (exit code ${end.code})` : `exit code ${end.code}`;
  const line = await readLastLine(dir);
  return line ? `${what}: ${line}` : what;
}

/** The signal a shell's exit code tells of: 128 + n, or null. */
export function signalOf(code: number | null): string | null {
  if (code === null || code <= 128) return null;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0] ?? null;
}
