// How a turn in the protocol ended: the conversation says it where it came to an end, the process where it did not.
import { type ProcessEnd, stopReason } from '../process/run-process.ts';
import { failure, toOutcome } from '../process/turn-outcome.ts';
import type { Outcome, RunInput } from '../runner.ts';
import type { AcpProgram } from './programs.ts';

/** How a conversation ended. */
export type ConversationEnd =
  /** It answered the prompt. */
  | { kind: 'answered'; stopReason: string }
  /** It can't do this as it is configured. */
  | { kind: 'refused'; message: string }
  | { kind: 'failed'; message: string }
  /** The connection was closed under it. */
  | { kind: 'gone' };

/** What came of the talk beside the process. */
export interface Said {
  /** Null where the conversation never began. */
  end: ConversationEnd | null;
  /** It was ended over a question that the person is to answer. */
  asked: boolean;
}

const OK: Outcome = { state: 'completed', reason: 'ok', exitCode: null, signal: null, message: '' };

/** What the ways mean in which an agent may end its turn. */
const ENDS: Readonly<Record<string, Outcome>> = {
  end_turn: OK,
  max_tokens: failure('exit', "its model's answer grew longer than it may"),
  max_turn_requests: failure('exit', 'it asked its model as often as it may in one turn'),
  refusal: failure('refused', 'its model refused to go on with this'),
  cancelled: failure('exit', 'it says that its turn was canceled'),
};

export async function outcomeOf(
  { signal, dir }: Pick<RunInput, 'signal' | 'dir'>,
  { program }: AcpProgram,
  ended: ProcessEnd,
  { end, asked }: Said,
): Promise<Outcome> {
  if (end === null) return toOutcome(ended, dir);
  if (signal.aborted && !(end.kind === 'answered' && end.stopReason !== 'cancelled'))
    return toOutcome({ ...ended, how: 'stopped', reason: stopReason(signal) }, dir);
  const outcome = asked ? OK : said(program, end);
  if (outcome === null && ended.how === 'exited' && ended.code !== 0) return toOutcome(ended, dir);
  const told = outcome ?? failure('exit', `${program} ended before it answered`);
  if (ended.survivors.length === 0) return told;
  const rest = `could not be ended: pid ${ended.survivors.join(', ')}`;
  return { ...told, message: [told.message, rest].filter(Boolean).join('; ') };
}

/** Null where it said nothing of an end. */
function said(program: string, end: ConversationEnd): Outcome | null {
  switch (end.kind) {
    case 'answered':
      return ENDS[end.stopReason] ?? failure('exit', `${program} ended its turn: ${end.stopReason}`);
    case 'refused':
      return failure('refused', `${program}: ${end.message}`);
    case 'failed':
      return failure('exit', `${program}: ${end.message}`);
    case 'gone':
      return null;
  }
}
