// The way out of a turn: what must stand in the file is written first, then the turn is recorded as over together
// with what its end means for the task. A crash between repeats the first and does the second once.
import { isPassing } from '../../core/errors.ts';
import { taskOfThread } from '../../core/ids.ts';
import { putOffDelayMs } from '../../core/rules/backoff.ts';
import { endOfFailedChecks } from '../../core/rules/checks.ts';
import {
  endOfTurn,
  type TurnEndInput,
  type TurnEndResult,
  waitsForAgent,
} from '../../core/rules/turn-end.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Outcome } from '../../runners/runner.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { usedUpBudget } from '../../tasks/task-budget.ts';
import type { DriverOptions } from './driver-options.ts';
import { recordLimit, waitAfter } from './limit-met.ts';
import { isSilent, wroteNothingBefore } from './nothing-written.ts';
import { type Checking, settleChecks, type Verdict } from './settle-checks.ts';
import type { TurnResult } from './turn-contract.ts';
import { writeTurnResult } from './turn-folder.ts';
import {
  endEvent,
  endTurn,
  interrupted,
  interruptionsInARow,
  type RunEnd,
  recordDurably,
  resultOf,
  unseenEnd,
} from './turn-run.ts';
import { sayChanges } from './workspace.ts';

/** Records that a turn was lost with its runtime, and its request comes back; or by a fault of that. */
export async function interruptTurn(
  options: DriverOptions,
  turn: TurnRecord,
  fault?: string,
): Promise<TurnResult> {
  const end = unseenEnd(fault);
  const meaning = meaningOf(options, turn, end);
  if (meaning !== null) await sayInFile(options, turn, meaning);
  return tell(options, turn, end, recordEnd(options, turn, end));
}

/** Records a turn that trouble outside kept from starting: no failure of its agent, tried again later and later. */
export function putOff(options: DriverOptions, turn: TurnRecord, message: string): void {
  const { ledger, effects } = options.deps;
  const end = { outcome: interrupted(message), counts: false };
  const recorded = ledger.transaction(() => {
    const retryAt = effects.now() + putOffDelayMs(interruptionsInARow(ledger, turn.thread));
    const recorded = recordEnd(options, turn, end);
    ledger.tasks.update(taskOfThread(turn.thread)!, { attempted: turn.revision, retryAt });
    return recorded;
  });
  tell(options, turn, end, recorded);
}

/** Records the end of a turn. How it ended may be known here alone: while disk or ledger refuse, it is tried again. */
export async function finishDurably(
  options: DriverOptions,
  turn: TurnRecord,
  end: RunEnd,
  checking: Checking | null = null,
): Promise<TurnResult> {
  return recordDurably(options, () => tryToFinish(options, turn, end, checking));
}

// The pause is written into the file before the turn is recorded as over: a crash between repeats both, by its key.
async function tryToFinish(
  options: DriverOptions,
  turn: TurnRecord,
  end: RunEnd,
  checking: Checking | null,
): Promise<TurnResult> {
  const { deps } = options;
  // What the agent wrote last is observed first: its "done" comes before the end of its turn.
  await options.feedback.lookAtTask(taskOfThread(turn.thread)!);
  // Before our own note of it changes the file.
  const silent = await isSilent(options, turn);
  const checked = await settleChecks(options, turn, end, checking);
  if (checked.kind === 'cut') return 'interrupted';
  await sayChanges(options, turn);
  const seen = { isSilent: silent, checked };
  const meaning = meaningOf(options, turn, end, seen);
  if (meaning !== null) await sayInFile(options, turn, meaning);
  const told = { ...end, outcome: toldOf(end.outcome, meaning) };
  try {
    writeTurnResult(deps.room, turn.id, told.outcome, deps.effects.now());
  } catch (error) {
    options.onTrouble(error);
  }
  const recorded = await deps.ledger.together(() => recordEnd(options, turn, end, seen));
  return tell(options, turn, told, recorded);
}

async function sayInFile(options: DriverOptions, turn: TurnRecord, end: TurnEndResult): Promise<void> {
  const id = taskOfThread(turn.thread)!;
  try {
    const actor = { kind: 'runtime', turn: turn.id } as const;
    if (end.pause !== null) await options.tasks.call('pause', { ref: id, reason: end.pause }, actor);
    else if (end.note !== null)
      await options.tasks.call('note', { ref: id, text: end.note, key: `${turn.id}:note` }, actor);
  } catch (error) {
    // A disk that refuses now takes it later, and the end with it; a file that is gone or broken, or a bug, never will.
    if (isPassing(error)) throw error;
    options.onTrouble(error);
  }
}

/** How the turn ended, in the words its task has for it. */
function toldOf(outcome: Outcome, meaning: TurnEndResult | null): Outcome {
  if (meaning === null) return outcome;
  const { state, reason, message } = meaning;
  return { ...outcome, state, reason, message };
}

/** What the end of the turn means for its task; null when nobody remembers that. */
function meaningOf(
  options: DriverOptions,
  turn: TurnRecord,
  { outcome, counts }: RunEnd,
  { isSilent, checked }: Seen = UNSEEN,
): TurnEndResult | null {
  const { deps } = options;
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread) ?? '');
  if (memory === null) return null;
  const input: TurnEndInput = {
    ...outcome,
    counts,
    isSilent,
    askedOnceMore: wroteNothingBefore(deps, turn),
    taskBudget: usedUpBudget(deps, memory.id, 'running'),
    waiting: deps.ledger.questions.isWaiting(memory.id),
    isFinished: isFinished(memory.status),
    revision: turn.revision,
    reasons: turn.reasons,
    consumed: memory.consumed,
    attempted: memory.attempted,
    attempts: memory.attempts,
    maxAttempts: deps.config().maxAttempts,
    now: deps.effects.now(),
    random: deps.effects.randomBytes(1)[0]! / 256,
  };
  if (checked.kind !== 'failed') return endOfTurn(input);
  return endOfFailedChecks(input, { ...checked, maxRounds: deps.config().maxCheckRounds });
}

/** What the end of a turn is judged by, beside how its agent ended. */
interface Seen {
  isSilent: boolean;
  checked: Verdict;
}

const UNSEEN: Seen = { isSilent: false, checked: { kind: 'none' } };

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
  runEnd: RunEnd,
  seen: Seen = UNSEEN,
): RecordedEnd {
  const { tasks, wakes, checks, questions } = options.deps.ledger;
  const id = taskOfThread(turn.thread)!;
  const endedAt = options.deps.effects.now();
  const end = meaningOf(options, turn, runEnd, seen);
  const told = toldOf(runEnd.outcome, end);
  const wait = waitAfter(options.deps, turn, told);
  const first = endTurn(
    options.deps.ledger,
    turn.id,
    { ...told, until: wait?.until ?? null, endedAt },
    () => {
      recordLimit(options.deps, turn, told, wait);
      if (end === null) return;
      tasks.update(id, { ...end.memory, ...loopsAfter(options, turn, told) });
      if (seen.checked.kind === 'failed' && end.pause !== null) checks.settle(turn.id, { state: 'gave_up' });
      if (end.isServed) questions.take(id, turn.id);
      for (const wake of end.wakesAgain) wakes.add(id, wake, endedAt);
    },
  );
  return { first, endedAt, retryAt: end?.memory.retryAt ?? null };
}

/** A turn that had to give way is asked for again: it counts once for the loop guard, not each time. */
function loopsAfter({ deps }: DriverOptions, turn: TurnRecord, outcome: Outcome): { loops?: number } {
  const counted = !turn.outside && !turn.reasons.includes('retry');
  const loops = deps.ledger.tasks.get(taskOfThread(turn.thread)!)?.loops ?? 0;
  return counted && waitsForAgent(outcome) ? { loops: Math.max(0, loops - 1) } : {};
}

/** Tells of an end that is on record. */
function tell(options: DriverOptions, turn: TurnRecord, end: RunEnd, recorded: RecordedEnd): TurnResult {
  const { ledger, events } = options.deps;
  const result = resultOf(end);
  if (!recorded.first) return result;
  const id = taskOfThread(turn.thread)!;
  const name = ledger.tasks.get(id)?.name ?? id;
  const { retryAt, endedAt } = recorded;
  events.emit(endEvent(turn, end.outcome, endedAt, { id, name }));
  if (retryAt !== null && result !== 'interrupted')
    events.emit({ type: 'turn.retrying', id, name, attempt: turn.attempt + 1, retryAt });
  return result;
}
