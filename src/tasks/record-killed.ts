// The record of a turn that was ended without the loop: while no daemon ran, or before it began.
import { choreOfThread, taskOfThread } from '../core/ids.ts';
import type { TurnReason } from '../core/rules/turn.ts';
import type { TurnRecord } from '../store/ledger/turns/turns.ts';
import type { TaskRoom } from './task-room.ts';

/** Records the turn as killed, once. Killed by a person, what it started with counts as consumed. */
export function recordKilled(
  deps: TaskRoom,
  turn: TurnRecord,
  reason: TurnReason,
  message = 'killed while no daemon ran',
): void {
  const id = taskOfThread(turn.thread);
  const endedAt = deps.effects.now();
  const end = {
    state: 'killed' as const,
    reason,
    exitCode: null,
    signal: null,
    message,
    endedAt,
  };
  deps.ledger.transaction(() => {
    if (!deps.ledger.turns.end(turn.id, end)) return;
    const chore = choreOfThread(turn.thread);
    if (chore !== null) {
      // Nothing is owed after it: it waits for its next tick.
      const result = { ok: false, message: end.message, turn: turn.id };
      deps.ledger.chores.update(chore, { endedAt, result, failures: 0, retryAt: null, stopped: null });
    }
    if (id === null) return;
    if (reason === 'person')
      deps.ledger.tasks.update(id, { consumed: turn.revision, attempted: null, attempts: 0, retryAt: null });
  });
}
