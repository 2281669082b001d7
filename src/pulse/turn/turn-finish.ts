// The way out of a turn: what must stand in the file is written first, then the turn is recorded as over together
// with what its end means for the task. A crash between repeats the first and does the second once.
import { isPassing, isRoomError } from '../../core/errors.ts';
import { taskOfThread } from '../../core/ids.ts';
import { endOfTurn } from '../../core/rules/turn-end.ts';
import type { Outcome } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns.ts';
import type { DriverOptions } from './driver-options.ts';
import type { TurnResult } from './turn-contract.ts';
import { writeTurnResult } from './turn-folder.ts';
import { endEvent, interrupted, recordDurably, resultOf } from './turn-run.ts';

// After trouble outside (a full disk, say) the task is left alone for this long.
const PUT_OFF_MS = 5_000;

/** Records that a turn was lost with its runtime; its request comes back. */
export function interruptTurn(options: DriverOptions, turn: TurnRecord): TurnResult {
  const outcome = interrupted('the runtime ended during the turn');
  return tell(options, turn, outcome, recordEnd(options, turn, outcome));
}

/** Records a turn that trouble outside kept from starting: no failure of its agent, tried again a little later. */
export function putOff(options: DriverOptions, turn: TurnRecord, message: string): void {
  const { ledger, effects } = options.deps;
  const outcome = interrupted(message);
  const end = ledger.transaction(() => {
    const recorded = recordEnd(options, turn, outcome);
    const retryAt = effects.now() + PUT_OFF_MS;
    ledger.tasks.update(taskOfThread(turn.thread)!, { attempted: turn.revision, retryAt });
    return recorded;
  });
  tell(options, turn, outcome, end);
}

/** Records the end of a turn. How it ended may be known here alone: while disk or ledger refuse, it is tried again. */
export async function finishDurably(
  options: DriverOptions,
  turn: TurnRecord,
  outcome: Outcome,
): Promise<TurnResult> {
  return recordDurably(options, () => tryToFinish(options, turn, outcome));
}

// The pause is written into the file before the turn is recorded as over: a crash between repeats both, by its key.
async function tryToFinish(options: DriverOptions, turn: TurnRecord, outcome: Outcome): Promise<TurnResult> {
  const { deps } = options;
  // What the agent wrote last is observed first: its "done" comes before the end of its turn.
  await options.feedback.lookAtTask(taskOfThread(turn.thread)!);
  const end = endFor(options, turn, outcome);
  if (end?.pause) {
    const id = taskOfThread(turn.thread)!;
    try {
      await options.tasks.pause(id, { kind: 'runtime', turn: turn.id }, end.pause);
    } catch (error) {
      // A disk that refuses now takes the pause later, and the end with it; a file that is gone or broken never will.
      if (!isRoomError(error) || isPassing(error)) throw error;
      options.onTrouble(error);
    }
  }
  try {
    writeTurnResult(deps.room, turn.id, outcome, deps.effects.now());
  } catch (error) {
    options.onTrouble(error);
  }
  const recorded = await deps.ledger.together(() => recordEnd(options, turn, outcome));
  return tell(options, turn, outcome, recorded);
}

function endFor(options: DriverOptions, turn: TurnRecord, outcome: Outcome) {
  const { deps } = options;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread) ?? '');
  if (memory === null) return null;
  return endOfTurn({
    ...outcome,
    revision: turn.revision,
    reasons: turn.reasons,
    consumed: memory.consumed,
    attempted: memory.attempted,
    attempts: memory.attempts,
    maxAttempts: deps.config().maxAttempts,
    now: deps.effects.now(),
    random: deps.effects.randomBytes(1)[0]! / 256,
  });
}

interface RecordedEnd {
  /** False when the turn had ended before. */
  first: boolean;
  endedAt: number;
  /** When the task is tried again, epoch ms. */
  retryAt: number | null;
}

function recordEnd(options: DriverOptions, turn: TurnRecord, outcome: Outcome): RecordedEnd {
  const { tasks, wakes } = options.deps.ledger;
  const id = taskOfThread(turn.thread)!;
  const endedAt = options.deps.effects.now();
  const end = endFor(options, turn, outcome);
  const first = options.queue.end(turn.id, { ...outcome, endedAt }, () => {
    if (end === null) return;
    tasks.update(id, end.memory);
    for (const wake of end.wakesAgain) wakes.add(id, wake, endedAt);
  });
  return { first, endedAt, retryAt: end?.memory.retryAt ?? null };
}

/** Tells of an end that is on record. */
function tell(options: DriverOptions, turn: TurnRecord, outcome: Outcome, recorded: RecordedEnd): TurnResult {
  const { ledger, events } = options.deps;
  const result = resultOf(outcome);
  if (!recorded.first) return result;
  const id = taskOfThread(turn.thread)!;
  const name = ledger.tasks.get(id)?.name ?? id;
  const { retryAt, endedAt } = recorded;
  events.emit(endEvent(turn, outcome, endedAt, { id, name }));
  if (retryAt !== null && result !== 'interrupted')
    events.emit({ type: 'turn.retrying', id, name, attempt: turn.attempt + 1, retryAt });
  return result;
}
