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
  memory: { consumed: string | null; attempted: string | null; attempts: number; retryAt: number | null };
  /** Why the task must be paused, null when it need not. */
  pause: string | null;
  /** Events that were not served and ask again. */
  wakesAgain: Wake[];
}

/** Pure; table-tested. */
export function endOfTurn(input: TurnEndInput): TurnEndResult {
  const { state, reason, revision } = input;
  const clean = { attempted: null, attempts: 0, retryAt: null };
  const served = state === 'completed' || reason === 'person' || reason === 'done' || reason === 'canceled';
  if (served) return { memory: { consumed: revision, ...clean }, pause: null, wakesAgain: [] };
  if (reason === 'refused')
    return { memory: { consumed: input.consumed, ...clean }, pause: input.message, wakesAgain: [] };
  if (reason === 'paused' || (reason === 'interrupted' && !input.counts)) {
    const { attempted, attempts } = reason === 'paused' ? clean : input;
    const retryAt = reason === 'interrupted' && attempted === revision ? input.now : null;
    const wakesAgain =
      reason === 'paused'
        ? []
        : input.reasons.filter((wake) => wake !== 'new' && wake !== 'edited' && wake !== 'retry');
    return { memory: { consumed: input.consumed, attempted, attempts, retryAt }, pause: null, wakesAgain };
  }
  return failed(input);
}

function failed(input: TurnEndInput): TurnEndResult {
  const { revision, consumed } = input;
  const attempts = (input.attempted === revision ? input.attempts : 0) + 1;
  if (attempts >= input.maxAttempts) {
    const pause = `gave up after ${attempts} failed ${attempts === 1 ? 'attempt' : 'attempts'}: ${input.message}`;
    return { memory: { consumed, attempted: revision, attempts, retryAt: null }, pause, wakesAgain: [] };
  }
  const retryAt = input.now + retryDelayMs(attempts, input.random);
  return { memory: { consumed, attempted: revision, attempts, retryAt }, pause: null, wakesAgain: [] };
}
