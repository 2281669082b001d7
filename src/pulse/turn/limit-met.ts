// What the end of a turn says of its agent's usage limit: met, so that its turns wait, or over.
import { type LimitWait, waitAfterLimit, waitForPayment } from '../../core/rules/usage-limit.ts';
import type { Outcome } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

/** How long turns of the agent wait after this end; null where it met no limit. Writes nothing. */
export function waitAfter(
  deps: TaskRoom,
  turn: TurnRecord,
  { reason, until, isUnpaid, message }: Outcome,
): LimitWait | null {
  if (isUnpaid === true) return waitForPayment(message, deps.effects.now());
  // A day's budget that has too little left for more is no limit of the agent's, and is over as one: at midnight.
  const tellsEnd = reason === 'budget' && until != null;
  if (reason !== 'rate_limited' && !tellsEnd) return null;
  const { ledger, effects } = deps;
  const met = { startedAt: turn.startedAt, told: until ?? null };
  return waitAfterLimit(ledger.limitWaits.get(turn.agent), met, effects.now());
}

/** Records what the end says; to be called in the step that records the end. */
export function recordLimit(
  { ledger }: TaskRoom,
  turn: TurnRecord,
  end: Outcome,
  wait: LimitWait | null,
): void {
  const before = ledger.limitWaits.get(turn.agent);
  if (wait !== null) ledger.limitWaits.set(turn.agent, wait);
  else if (before !== null && turn.startedAt >= before.since && didWork(end))
    ledger.limitWaits.clear(turn.agent);
}

/** An agent that was stopped from outside shows nothing of its limit. */
function didWork({ state, reason }: Outcome): boolean {
  return state === 'completed' || (state === 'failed' && reason !== 'interrupted' && reason !== 'budget');
}
