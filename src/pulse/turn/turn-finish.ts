// The way out of a turn: what must stand in the file is written first, then the turn is recorded as over together
// with what its end means for the task. A crash between repeats the first and does the second once.
import { isPassing, isRoomError } from '../../core/errors.ts';
import { taskOfThread } from '../../core/ids.ts';
import { endOfTurn, type TurnEndResult } from '../../core/rules/turn-end.ts';
import type { Outcome } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { DriverOptions } from './driver-options.ts';
import type { TurnResult } from './turn-contract.ts';
import { readFileHash, writeTurnResult } from './turn-folder.ts';
import { endEvent, interrupted, recordDurably, resultOf } from './turn-run.ts';

// After trouble outside (a full disk, say) the task is left alone for this long.
const PUT_OFF_MS = 5_000;
// More are seldom interrupted in a row.
const TURNS_LOOKED_AT = 20;

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
  // Before our own note of it changes the file.
  const fileUnchanged = saysTheSame(options, turn);
  const end = endFor(options, turn, outcome, fileUnchanged);
  if (end !== null) await sayInFile(options, turn, end);
  const told: Outcome = end === null ? outcome : { ...outcome, reason: end.reason, message: end.message };
  try {
    writeTurnResult(deps.room, turn.id, told, deps.effects.now());
  } catch (error) {
    options.onTrouble(error);
  }
  const recorded = await deps.ledger.together(() => recordEnd(options, turn, outcome, fileUnchanged));
  return tell(options, turn, told, recorded);
}

async function sayInFile(options: DriverOptions, turn: TurnRecord, end: TurnEndResult): Promise<void> {
  const id = taskOfThread(turn.thread)!;
  try {
    if (end.pause !== null)
      await options.tasks.pause(id, { kind: 'agent', agent: turn.agent, turn: turn.id }, end.pause);
    else if (end.note !== null)
      await options.tasks.progress(id, end.note, { kind: 'runtime' }, `${turn.id}:note`);
  } catch (error) {
    // A disk that refuses now takes it later, and the end with it; a file that is gone or broken never will.
    if (!isRoomError(error) || isPassing(error)) throw error;
    options.onTrouble(error);
  }
}

/** Whether the task's file can be read and says what it said when the turn's agent, which was to write, began. */
function saysTheSame({ deps }: DriverOptions, turn: TurnRecord): boolean {
  if (deps.agents().get(turn.agent)?.writes === false) return false;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread)!);
  const file = memory?.path ? deps.ledger.files.get(memory.path) : null;
  return file?.reading.ok === true && file.hash === readFileHash(deps.room, turn.id);
}

/** Whether this turn asks again because the one before wrote nothing; turns that were cut short between do not count. */
export function wroteNothingBefore({ ledger }: TaskRoom, turn: TurnRecord): boolean {
  if (!turn.reasons.includes('retry')) return false;
  const before = ledger.turns
    .list({ thread: turn.thread, limit: TURNS_LOOKED_AT })
    .find(({ id, reason }) => id !== turn.id && reason !== 'interrupted');
  return before?.reason === 'nothing_written' && before.revision === turn.revision;
}

function endFor(options: DriverOptions, turn: TurnRecord, outcome: Outcome, fileUnchanged: boolean) {
  const { deps } = options;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread) ?? '');
  if (memory === null) return null;
  return endOfTurn({
    ...outcome,
    fileUnchanged,
    askedOnceMore: wroteNothingBefore(deps, turn),
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

function recordEnd(
  options: DriverOptions,
  turn: TurnRecord,
  outcome: Outcome,
  fileUnchanged = false,
): RecordedEnd {
  const { tasks, wakes } = options.deps.ledger;
  const id = taskOfThread(turn.thread)!;
  const endedAt = options.deps.effects.now();
  const end = endFor(options, turn, outcome, fileUnchanged);
  const { reason, message } = end ?? outcome;
  const first = options.queue.end(turn.id, { ...outcome, reason, message, endedAt }, () => {
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
