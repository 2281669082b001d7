// The way out of a chore's turn: its end is put on record once, together with what it means for the chore, and told.
import { failureOf } from '../../chores/chore-room.ts';
import type { KnownChores } from '../../chores/known-chores.ts';
import { afterSuccess } from '../../chores/run-end.ts';
import type { Chore } from '../../core/chore/chore.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { choreOfThread } from '../../core/ids.ts';
import { putOffDelayMs } from '../../core/rules/backoff.ts';
import { waitsForAgent } from '../../core/rules/turn-end.ts';
import type { ChoreChange } from '../../store/ledger/mirrors/sources.ts';
import type { TurnRecord } from '../../store/ledger/turns/turns.ts';
import type { DriverOptions } from '../turn/driver-options.ts';
import { recordLimit, waitAfter } from '../turn/limit-met.ts';
import type { TurnResult } from '../turn/turn-contract.ts';
import { writeTurnResult } from '../turn/turn-folder.ts';
import {
  endEvent,
  endTurn,
  interrupted,
  interruptionsInARow,
  type RunEnd,
  recordDurably,
  resultOf,
  unseenEnd,
} from '../turn/turn-run.ts';

export interface ChoreDriverOptions
  extends Pick<DriverOptions, 'deps' | 'agents' | 'bridges' | 'isStopping' | 'onTrouble'> {
  known: Pick<KnownChores, 'find'>;
}

/** Records the end of a turn. How it ended may be known here alone: while disk or ledger refuse, it is tried again. */
export function finishDurably(
  options: ChoreDriverOptions,
  turn: TurnRecord,
  end: RunEnd,
): Promise<TurnResult> {
  const { deps, onTrouble } = options;
  return recordDurably(options, async () => {
    try {
      writeTurnResult(deps.room, turn.id, end.outcome, deps.effects.now());
    } catch (error) {
      onTrouble(error);
    }
    return record(options, turn, end, changeAfter(options, turn, end));
  });
}

/** Records that a turn was lost with its runtime; the chore is due again. */
export async function interruptChoreTurn(
  options: ChoreDriverOptions,
  turn: TurnRecord,
  fault?: string,
): Promise<TurnResult> {
  const end = unseenEnd(fault);
  return record(options, turn, end, changeAfter(options, turn, end));
}

/** Records a turn that trouble outside kept from starting: no failure of its agent, tried again later and later. */
export function putOff(options: ChoreDriverOptions, turn: TurnRecord, message: string): TurnResult {
  const { ledger, effects } = options.deps;
  const now = effects.now();
  const retryAt = now + putOffDelayMs(interruptionsInARow(ledger, turn.thread));
  return record(options, turn, { outcome: interrupted(message), counts: false }, { endedAt: now, retryAt });
}

function record(options: ChoreDriverOptions, turn: TurnRecord, end: RunEnd, change: ChoreChange): TurnResult {
  const { outcome } = end;
  const { deps } = options;
  const name = choreOfThread(turn.thread)!;
  const endedAt = deps.effects.now();
  const wait = waitAfter(deps, turn, outcome);
  const isFirst = endTurn(deps.ledger, turn.id, { ...outcome, until: wait?.until ?? null, endedAt }, () => {
    recordLimit(deps, turn, outcome, wait);
    deps.ledger.chores.update(name, change);
  });
  if (isFirst) {
    deps.events.emit(endEvent(turn, outcome, endedAt, { id: null, name }));
    const { state, message } = outcome;
    const tookMs = endedAt - turn.startedAt;
    if (state === 'completed')
      deps.events.emit({ type: 'chore.finished', name, kind: 'prompt', message, counts: {}, tookMs });
    else if (change.failures) tellFailure(options, name, message);
  }
  return resultOf(end);
}

/** What the end of the turn means for its chore. */
function changeAfter(
  options: ChoreDriverOptions,
  turn: TurnRecord,
  { outcome, counts }: RunEnd,
): ChoreChange {
  const { state, reason, message } = outcome;
  const now = options.deps.effects.now();
  // Without an end the chore is due at once, here or with the next start.
  if ((reason === 'interrupted' && !counts) || waitsForAgent(outcome)) return { endedAt: null };
  const result = { ok: state === 'completed', message, turn: turn.id };
  if (state !== 'failed') return afterSuccess(result, now);
  const chore = options.known.find(choreOfThread(turn.thread)!);
  if (chore === null) return { endedAt: now, result };
  return failedRun(options, chore, { message, turn: turn.id, code: reason === 'refused' ? 'refused' : null });
}

/** What a failed turn, or one that can't begin, means for its chore. */
export function failedRun(
  { deps }: ChoreDriverOptions,
  chore: Chore,
  { code, ...said }: { message: string; turn?: string; code: ErrorCode | null },
): ChoreChange {
  return failureOf(deps, chore, { record: { ok: false, ...said }, code, retryAfterMs: null });
}

/** Tells of a failure that is on record. */
export function tellFailure({ deps }: ChoreDriverOptions, name: string, message: string): void {
  const memory = deps.ledger.chores.get(name);
  const retryAt = memory?.retryAt ?? null;
  const hint =
    memory?.stopped == null
      ? null
      : `it stands still until its file changes, or: taskroom chores run ${JSON.stringify(name)}`;
  deps.events.emit({ type: 'chore.failed', name, kind: 'prompt', message, hint, retryAt });
}
