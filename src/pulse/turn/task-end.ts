// The end of a task's turn: what must stand in the file is written first, then the turn is recorded as over together
// with what its end means for the task. A crash between repeats the first and does the second once.

import type { Outcome } from '../../agents/runner.ts';
import { taskOfThread } from '../../core/ids.ts';
import { endOfFailedChecks } from '../../core/rules/checks.ts';
import {
  endOfTurn,
  type TurnEndInput,
  type TurnEndResult,
  waitsForAgent,
} from '../../core/rules/turn-end.ts';
import { isFinished } from '../../core/task/status.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import { usedUpBudget } from '../../tasks/task-budget.ts';
import type { Base } from '../base.ts';
import { type Checking, settleChecks, type Verdict } from './settle-checks.ts';
import { isSilent, noteInFile, wroteNothingBefore } from './task-file.ts';
import { writeTurnResult } from './turn-folder.ts';
import { type RunEnd, recordEnd, resultOf, type TurnResult, tellEnd } from './turn-record.ts';
import { sayChanges } from './workspace.ts';

/** What the end of a turn is judged by, beside how its agent ended. */
interface Seen {
  isSilent: boolean;
  checked: Verdict;
}

/** Records the end of a task's turn. @param checking what its checks are run with; null where it never ran here */
export async function endTaskTurn(
  base: Base,
  turn: TurnRecord,
  end: RunEnd,
  checking: Checking | null,
): Promise<TurnResult> {
  const { deps, dirtyPaths } = base;
  const id = taskOfThread(turn.thread)!;
  const seen: Seen = { isSilent: false, checked: { kind: 'none' } };
  if (end.isSeen) {
    // What the agent wrote last is observed first: its "done" comes before the end of its turn.
    await dirtyPaths.lookAtTask(id);
    // Before our own note of it changes the file.
    seen.isSilent = await isSilent(base, turn);
    seen.checked = await settleChecks(base, turn, end, checking);
    if (seen.checked.kind === 'cut') return 'interrupted';
    await sayChanges(base, turn);
  }
  // The pause is written into the file before the turn is recorded as over: a crash between repeats both, by its key.
  const meaning = end.retryAt === undefined ? meaningOf(base, turn, end, seen) : null;
  if (meaning?.pause != null) await noteInFile(base, turn, { pause: meaning.pause });
  else if (meaning?.note != null)
    await noteInFile(base, turn, { text: meaning.note, key: `${turn.id}:note` });
  if (end.isSeen) writeTurnResult(base, turn.id, toldOf(end.outcome, meaning));
  const recorded = await deps.ledger.together(() => record(base, turn, end, seen));
  const result = resultOf({ ...end, outcome: recorded.outcome });
  const name = deps.ledger.tasks.get(id)?.name ?? id;
  const { retryAt, isFirst } = recorded;
  tellEnd(deps, turn, recorded, { id, name });
  if (isFirst && retryAt !== null && result !== 'interrupted')
    deps.events.emit({ type: 'turn.retrying', id, name, attempt: turn.attempt + 1, retryAt });
  return result;
}

/** How the turn ended, in the words its task has for it. */
function toldOf(outcome: Outcome, meaning: TurnEndResult | null): Outcome {
  if (meaning === null) return outcome;
  const { state, reason, message } = meaning;
  return { ...outcome, state, reason, message };
}

/** What the end of the turn means for its task; null when nobody remembers that. */
function meaningOf(
  { deps }: Base,
  turn: TurnRecord,
  { outcome, counts }: RunEnd,
  { isSilent, checked }: Seen,
): TurnEndResult | null {
  const memory = deps.ledger.tasks.get(taskOfThread(turn.thread)!);
  if (memory === null) return null;
  const { consumed, attempted, attempts } = memory;
  const input: TurnEndInput = {
    ...outcome,
    ...{ counts, isSilent, consumed, attempted, attempts },
    askedOnceMore: wroteNothingBefore(deps, turn),
    taskBudget: usedUpBudget(deps, memory.id, 'running'),
    waiting: deps.ledger.questions.isWaiting(memory.id),
    isFinished: isFinished(memory.status),
    revision: turn.revision,
    reasons: turn.reasons,
    maxAttempts: deps.config().maxAttempts,
    now: deps.effects.now(),
    random: deps.effects.randomBytes(1)[0]! / 256,
  };
  if (checked.kind !== 'failed') return endOfTurn(input);
  return endOfFailedChecks(input, { ...checked, maxRounds: deps.config().maxCheckRounds });
}

/** Joins the commit of its caller; what the end means is computed anew from what the ledger says then. */
function record(base: Base, turn: TurnRecord, runEnd: RunEnd, seen: Seen) {
  const { tasks, wakes, checks, questions } = base.deps.ledger;
  const id = taskOfThread(turn.thread)!;
  const end = meaningOf(base, turn, runEnd, seen);
  const told = toldOf(runEnd.outcome, end);
  const recorded = recordEnd(base.deps, turn, told, (endedAt) => {
    if (end === null) return;
    tasks.update(id, { ...end.memory, ...loopsAfter(base, turn, told) });
    if (runEnd.retryAt !== undefined) tasks.update(id, { attempted: turn.revision, retryAt: runEnd.retryAt });
    if (seen.checked.kind === 'failed' && end.pause !== null) checks.settle(turn.id, { state: 'gave_up' });
    if (end.isServed) questions.take(id, turn.id);
    for (const wake of end.wakesAgain) wakes.add(id, wake, endedAt);
  });
  return { ...recorded, retryAt: end?.memory.retryAt ?? null };
}

/** A turn that had to give way is asked for again: it counts once for the loop guard, not each time. */
function loopsAfter({ deps }: Base, turn: TurnRecord, outcome: Outcome): { loops?: number } {
  const counted = !turn.outside && !turn.reasons.includes('retry');
  const loops = deps.ledger.tasks.get(taskOfThread(turn.thread)!)?.loops ?? 0;
  return counted && waitsForAgent(outcome) ? { loops: Math.max(0, loops - 1) } : {};
}
