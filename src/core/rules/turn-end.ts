// What the end of a turn means for its task: consumed or not, tried again when, or paused and why (DESIGN: a turn
// that completed or was killed by a person consumed its revision; one that failed or was stopped did not).
import { retryDelayMs } from './backoff.ts';
import type { Wake } from './decide.ts';
import type { TurnReason } from './turn.ts';

export interface TurnEndInput {
  state: 'completed' | 'failed' | 'killed';
  reason: TurnReason;
  message: string;
  /** The runtime lived through an interruption: it counts as the turn's own failure. */
  counts: boolean;
  /** Nothing was reported on the task in this turn, and its file says nothing new of status, steps, questions or outcome. */
  isSilent: boolean;
  /** The last words of the agent's program, one line; empty where it said none. */
  words?: string;
  /** With `refused`: its agent's account must be paid, which all its turns wait for. */
  isUnpaid?: boolean;
  /** The turn was the second try after one that wrote nothing. */
  askedOnceMore: boolean;
  /** How far the task's own budget is used up (`30 of 30 turns`); null while something is left. */
  taskBudget: string | null;
  /** A question in its file has no answer: it goes on when it has one. */
  waiting: boolean;
  /** The task was done or canceled by the end of the turn: nothing is left to try again. */
  isFinished: boolean;
  /** Revision the turn started with. */
  revision: string;
  /** Events that asked for it. */
  reasons: readonly Wake[];
  consumed: string | null;
  attempted: string | null;
  attempts: number;
  maxAttempts: number;
  now: number;
  /** In [0, 1), for the jitter. */
  random: number;
}

export interface TurnEndResult {
  state: TurnEndInput['state'];
  reason: TurnReason;
  message: string;
  memory: { consumed: string | null; attempted: string | null; attempts: number; retryAt: number | null };
  /** What asked for the turn has been dealt with. */
  isServed: boolean;
  /** Why the task must be paused, null when it need not. */
  pause: string | null;
  /** What the file is to say of the turn where the task goes on, null for nothing. */
  note: string | null;
  /** Events that were not served and ask again. */
  wakesAgain: Wake[];
}

/** Pure; table-tested. */
export function endOfTurn(input: TurnEndInput): TurnEndResult {
  const { state, reason, message, revision } = input;
  const clean = { attempted: null, attempts: 0, retryAt: null };
  const end = { state, reason, message, isServed: false, pause: null, note: null, wakesAgain: [] };
  if (state === 'completed' && reason === 'ok' && input.isSilent) return wroteNothing(input);
  const served = state === 'completed' || reason === 'person' || reason === 'done' || reason === 'canceled';
  if (served) return { ...end, isServed: true, memory: { consumed: revision, ...clean } };
  // A done whose work could not be handed over: nothing else would tell.
  if (input.isFinished)
    return {
      ...end,
      memory: { consumed: input.consumed, ...clean },
      note: reason === 'refused' ? message : null,
    };
  if (reason === 'refused' && input.isUnpaid !== true)
    return { ...end, memory: { consumed: input.consumed, ...clean }, pause: message };
  if (reason === 'paused') return { ...end, memory: { consumed: input.consumed, ...clean } };
  if (reason === 'budget' && input.taskBudget !== null)
    return { ...end, memory: { consumed: input.consumed, ...clean }, pause: budgetPause(input.taskBudget) };
  const isCutShort = (reason === 'interrupted' && !input.counts) || waitsForAgent(input);
  return isCutShort ? cutShort(input) : failed(input);
}

/** Whether a turn that ended so is asked for again at once, to begin when its agent, or the room, may work on. */
export function waitsForAgent({ reason, isUnpaid }: Pick<TurnEndInput, 'reason' | 'isUnpaid'>): boolean {
  return reason === 'rate_limited' || reason === 'budget' || isUnpaid === true;
}

/** Why a task is paused whose own budget is used up. */
export function budgetPause(taskBudget: string): string {
  return `its budget is used up (${taskBudget}); resuming it grants as much again`;
}

// Nothing that the turn could help: no attempt is counted, and what asked for it asks again.
function cutShort({
  state,
  reason,
  message,
  revision,
  consumed,
  attempted,
  attempts,
  ...input
}: TurnEndInput): TurnEndResult {
  const retryAt = attempted === revision ? input.now : null;
  const wakesAgain = input.reasons.filter((wake) => wake !== 'new' && wake !== 'edited' && wake !== 'retry');
  return {
    state,
    reason,
    message,
    isServed: false,
    memory: { consumed, attempted, attempts, retryAt },
    pause: null,
    note: null,
    wakesAgain,
  };
}

const WROTE_NOTHING = 'ended and reported nothing on its task';

// Two silent turns are an agent that can't report (its tools are refused, say): a third would end alike.
function wroteNothing(input: TurnEndInput): TurnEndResult {
  const { revision, consumed, words = '' } = input;
  const said = words === '' ? '' : `; its last words: ${words}`;
  const end = {
    ...{ state: 'failed' as const, reason: 'nothing_written' as const, message: `${WROTE_NOTHING}${said}` },
    ...{ isServed: false, pause: null, note: null, wakesAgain: [] },
  };
  // Nobody handed over anything: there may be nothing to do.
  if (input.reasons.every((wake) => wake === 'heartbeat')) {
    const memory = { consumed: revision, attempted: null, attempts: 0, retryAt: null };
    return { ...end, state: 'completed', isServed: true, memory };
  }
  const attempts = attemptsWith(input);
  const memory = { consumed, attempted: revision, attempts, retryAt: null };
  if (input.askedOnceMore) return { ...end, memory, pause: `two turns in a row ${WROTE_NOTHING}${said}` };
  if (attempts >= input.maxAttempts) return { ...end, memory, pause: `a turn ${WROTE_NOTHING}${said}` };
  const retryAt = input.now + retryDelayMs(attempts, input.random);
  return { ...end, memory: { ...memory, retryAt }, note: `A turn ${WROTE_NOTHING}; it is asked once more.` };
}

/** Failed attempts at this revision, this one included. */
function attemptsWith({ attempted, revision, attempts }: TurnEndInput): number {
  return (attempted === revision ? attempts : 0) + 1;
}

function failed(input: TurnEndInput): TurnEndResult {
  const { state, reason, message, revision, consumed } = input;
  const end = { state, reason, message, isServed: false, note: null, wakesAgain: [] };
  // It asked, and then failed: nothing is tried before there is an answer, and then it begins anew.
  if (input.waiting)
    return { ...end, memory: { consumed, attempted: null, attempts: 0, retryAt: null }, pause: null };
  const attempts = attemptsWith(input);
  const memory = { consumed, attempted: revision, attempts, retryAt: null };
  if (attempts >= input.maxAttempts) {
    const pause = `gave up after ${attempts} failed ${attempts === 1 ? 'attempt' : 'attempts'}: ${message}`;
    return { ...end, memory, pause };
  }
  const retryAt = input.now + retryDelayMs(attempts, input.random);
  return { ...end, memory: { ...memory, retryAt }, pause: null };
}
