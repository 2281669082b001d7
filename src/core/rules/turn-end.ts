// What the end of a turn means for its task: consumed or not, tried again when, or paused and why (DESIGN: a turn
// that completed or was killed by a person consumed its revision; one that failed or was stopped did not).
import type { Wake } from './decide.ts';
import type { TurnReason } from './turn.ts';
import { putOffDelayMs, retryDelayMs } from './waits.ts';

export interface TurnEndInput {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  message: string;
  counts: boolean; // The runtime lived through an interruption: it counts as the turn's own failure.
  /** Nothing was reported on the task in this turn, and its file says nothing new of status, steps, questions or outcome. */
  isSilent: boolean;
  words?: string; // The last words of the agent's program, one line; empty where it said none.
  needsPerson?: boolean; // With `refused`: its agent's account must be paid, which all its turns wait for.
  askedOnceMore: boolean; // The turn was the second try after one that wrote nothing.
  /** How far the task's own budget is used up (`30 of 30 turns`); null while something is left. */
  taskBudget: string | null;
  waiting: boolean; // A question in its file has no answer: it goes on when it has one.
  isFinished: boolean; // The task was done or canceled by the end of the turn: nothing is left to try again.
  revision: string;
  reasons: readonly Wake[];
  consumed: string | null;
  attempted: string | null;
  attempts: number;
  maxAttempts: number;
  notStarted: number; // With `not_started`: how often in a row, from 1.
  now: number;
  random: number; // In [0, 1), for the jitter.
}

export interface TurnEndResult {
  state: TurnEndInput['state'];
  reason: TurnReason;
  message: string;
  memory: { consumed: string | null; attempted: string | null; attempts: number; retryAt: number | null };
  isServed: boolean;
  pause: string | null;
  note: string | null; // What the file is to say of the turn where the task goes on, null for nothing.
  wakesAgain: Wake[]; // Events that were not served and ask again.
}

export function endOfTurn(input: TurnEndInput): TurnEndResult {
  const { state, reason, message, revision } = input;
  if (state === 'completed' && reason === 'ok' && input.isSilent) return wroteNothing(input);
  const served = state === 'completed' || reason === 'person' || reason === 'done' || reason === 'canceled';
  if (served) return result(input, { isServed: true, memory: { consumed: revision } });
  // A done whose work could not be handed over: nothing else would tell.
  if (input.isFinished) return result(input, { note: reason === 'refused' ? message : null });
  if (reason === 'refused' && input.needsPerson !== true) return result(input, { pause: message });
  if (reason === 'paused') return result(input, {});
  if (reason === 'not_started') return notStarted(input);
  if (reason === 'budget' && input.taskBudget !== null)
    return result(input, { pause: budgetPause(input.taskBudget) });
  const isCutShort = (reason === 'interrupted' && !input.counts) || waitsForAgent(input);
  return isCutShort ? cutShort(input) : failed(input);
}

type Memory = TurnEndResult['memory'];

/** An end after which attempts start anew, but for what is said here. */
export function result(
  { state, reason, message, consumed }: Pick<TurnEndInput, 'state' | 'reason' | 'message' | 'consumed'>,
  { memory, ...said }: Partial<Omit<TurnEndResult, 'memory'>> & { memory?: Partial<Memory> },
): TurnEndResult {
  const end = { state, reason, message, isServed: false, pause: null, note: null, wakesAgain: [] };
  return { ...end, ...said, memory: { consumed, attempted: null, attempts: 0, retryAt: null, ...memory } };
}

/** Whether a turn that ended so is asked for again at once, to begin when its agent, or the room, may work on. */
export const waitsForAgent = ({ reason, needsPerson }: Pick<TurnEndInput, 'reason' | 'needsPerson'>) =>
  reason === 'rate_limited' || reason === 'budget' || needsPerson === true;

export const budgetPause = (taskBudget: string): string =>
  `its budget is used up (${taskBudget}); resuming it grants as much again`;

// No attempt: it is tried again later and later, and the next look at its agent finds what is missing.
function notStarted(input: TurnEndInput): TurnEndResult {
  const { attempted, attempts, revision, now } = input;
  const retryAt = now + putOffDelayMs(input.notStarted);
  const memory = { attempted: revision, attempts: attempted === revision ? attempts : 0, retryAt };
  return result(input, { memory });
}

/** What asks again after a turn that did not serve it; new words and retries come of themselves. */
export const wakesOnce = (reasons: readonly Wake[]): Wake[] =>
  reasons.filter((wake) => wake !== 'new' && wake !== 'edited' && wake !== 'retry');

// Nothing that the turn could help: no attempt is counted, and what asked for it asks again.
function cutShort(input: TurnEndInput): TurnEndResult {
  const { attempted, attempts, revision, now, reasons } = input;
  const retryAt = attempted === revision ? now : null;
  return result(input, { wakesAgain: wakesOnce(reasons), memory: { attempted, attempts, retryAt } });
}

const WROTE_NOTHING = 'ended and reported nothing on its task';

// Two silent turns are an agent that can't report (its tools are refused, say): a third would end alike.
function wroteNothing(input: TurnEndInput): TurnEndResult {
  const { revision, words = '' } = input;
  const said = words === '' ? '' : `; its last words: ${words}`;
  const end = { reason: 'nothing_written' as const, message: `${WROTE_NOTHING}${said}` };
  // Nobody handed over anything: there may be nothing to do.
  if (input.reasons.every((wake) => wake === 'heartbeat'))
    return result(input, { ...end, isServed: true, memory: { consumed: revision } });
  const { memory, isLast } = afterFailure(input);
  const failed = { ...end, state: 'failed' as const };
  const gaveUp = { ...memory, retryAt: null };
  if (input.askedOnceMore)
    return result(input, { ...failed, memory: gaveUp, pause: `two turns in a row ${WROTE_NOTHING}${said}` });
  if (isLast) return result(input, { ...failed, memory, pause: `a turn ${WROTE_NOTHING}${said}` });
  return result(input, { ...failed, memory, note: `A turn ${WROTE_NOTHING}; it is asked once more.` });
}

/** Failed attempts at this revision, this one included, and when the next is made. */
function afterFailure(input: TurnEndInput): { memory: Omit<Memory, 'consumed'>; isLast: boolean } {
  const { revision, now, random, maxAttempts } = input;
  const attempts = (input.attempted === revision ? input.attempts : 0) + 1;
  const isLast = attempts >= maxAttempts;
  const retryAt = isLast ? null : now + retryDelayMs(attempts, random);
  return { memory: { attempted: revision, attempts, retryAt }, isLast };
}

function failed(input: TurnEndInput): TurnEndResult {
  // It asked, and then failed: nothing is tried before there is an answer, and then it begins anew.
  if (input.waiting) return result(input, {});
  const { memory, isLast } = afterFailure(input);
  if (!isLast) return result(input, { memory });
  const times = `${memory.attempts} failed ${memory.attempts === 1 ? 'attempt' : 'attempts'}`;
  return result(input, { memory, pause: `gave up after ${times}: ${input.message}` });
}
