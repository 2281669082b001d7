// What the end of a prompt chore's turn means for its chore: it stands in the ledger alone.
import { afterSuccess, failureOf } from '../../../chores/chore-room.ts';
import type { Chore } from '../../../core/chore/chore.ts';
import type { ErrorCode } from '../../../core/errors.ts';
import { choreOfThread } from '../../../core/ids.ts';
import { waitsForAgent } from '../../../core/rules/turn-end.ts';
import type { ChoreChange } from '../../../store/ledger/mirrors/sources.ts';
import type { TurnRecord } from '../../../store/ledger/turns/turns.ts';
import type { Loop } from '../../state/loop.ts';
import type { Ending, RunEnd } from '../turn-kind.ts';

export async function endChoreTurn(loop: Loop, turn: TurnRecord, end: RunEnd): Promise<Ending> {
  const { ledger, events } = loop.deps;
  const { outcome } = end;
  const { state, message } = outcome;
  const name = choreOfThread(turn.thread)!;
  const change = changeAfter(loop, turn, end);
  return {
    outcome,
    settle: () => ({ outcome, also: () => ledger.chores.update(name, change) }),
    recorded(_result, tookMs) {
      if (state === 'completed')
        events.emit({ type: 'chore.finished', name, kind: 'prompt', message, counts: {}, tookMs });
      else if (change.failures) reportFailure(loop, name, message);
    },
  };
}

function changeAfter(loop: Loop, turn: TurnRecord, { outcome, counts, retryAt }: RunEnd): ChoreChange {
  const { state, reason, message } = outcome;
  const now = loop.deps.effects.now();
  if (retryAt !== undefined) return { endedAt: now, retryAt };
  // Without an end the chore is due at once, here or with the next start.
  if ((reason === 'interrupted' && !counts) || waitsForAgent(outcome)) return { endedAt: null };
  const result = { ok: state === 'completed', message, turn: turn.id };
  if (state !== 'failed') return afterSuccess(result, now);
  const chore = loop.known.find(choreOfThread(turn.thread)!);
  if (chore === null) return { endedAt: now, result };
  return failedRun(loop, chore, { message, turn: turn.id, code: reason === 'refused' ? 'refused' : null });
}

/** What a failed turn, or one that can't begin, means for its chore. */
export function failedRun(
  { deps }: Loop,
  chore: Chore,
  { code, ...record }: { message: string; turn?: string; code: ErrorCode | null },
): ChoreChange {
  return failureOf(deps, chore, { record: { ok: false, ...record }, code, retryAfterMs: null });
}

/** Reports a failure that is on record. */
export function reportFailure({ deps }: Loop, name: string, message: string): void {
  const memory = deps.ledger.chores.get(name);
  const retryAt = memory?.retryAt ?? null;
  const again = `it stands still until its file changes, or: taskroom chores run ${JSON.stringify(name)}`;
  const hint = memory?.stopped == null ? null : again;
  deps.events.emit({ type: 'chore.failed', name, kind: 'prompt', message, hint, retryAt });
}
