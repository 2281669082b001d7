// One sync of a mirror from its start to its end on record, with a bound on its time. What it throws is its own failure.
import type { Chore } from '../core/chore/chore.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { formatDuration } from '../core/time/durations.ts';
import { type ChoreRoom, failureOf } from './chore-room.ts';
import { afterSuccess } from './run-end.ts';
import { noteUntold } from './webhook-health.ts';

/** What a sync did, for people and programs. */
export interface ChoreResult {
  /** One line: `3 created, 1 pushed`. */
  message: string;
  /** The same by name. */
  counts: Readonly<Record<string, number>>;
}

/**
 * Syncs a mirror; ends soon after `signal` aborts.
 * @throws RoomError what kept it from that, with retryAfterMs where the tracker said so
 */
export type SyncChore = (chore: Chore, signal: AbortSignal) => Promise<ChoreResult>;

export interface SyncRunOptions {
  deps: ChoreRoom;
  sync: SyncChore;
  /** The runtime stops: what succeeds now is not recorded any more. */
  isClosed(): boolean;
  onTrouble(error: unknown): void;
}

/** Why a sync is aborted: the runtime stops. It has no end, and begins anew with the next start. */
export const SYNC_STOPPED = Symbol('stopped');
/** Why a sync is aborted: the chore is gone or paused. */
export const SYNC_ENDED = Symbol('ended');

/** Runs a sync until its end is on record. */
export async function runSync(
  options: SyncRunOptions,
  chore: Chore,
  control: AbortController,
): Promise<void> {
  const { deps, onTrouble } = options;
  const { effects } = deps;
  const { timeoutMs } = deps.config();
  const startedAt = effects.monotonicMs();
  const clock = effects.setTimer(timeoutMs, () => control.abort(tookTooLong(timeoutMs)), true);
  try {
    const result = await startSync(options.sync, chore, control.signal);
    if (!options.isClosed()) recordSuccess(deps, chore, result, effects.monotonicMs() - startedAt);
  } catch (error) {
    const why: unknown = control.signal.aborted ? control.signal.reason : error;
    try {
      recordFailure(options, chore, why);
    } catch (fault) {
      onTrouble(fault);
    }
  } finally {
    clock.cancel();
  }
}

async function startSync(sync: SyncChore, chore: Chore, signal: AbortSignal): Promise<ChoreResult> {
  // The first step of a sync may throw before it has anything to await.
  await null;
  signal.throwIfAborted();
  return sync(chore, signal);
}

function recordSuccess(
  { ledger, effects, events }: ChoreRoom,
  { name }: Chore,
  { message, counts }: ChoreResult,
  tookMs: number,
): void {
  const now = effects.now();
  ledger.chores.update(name, afterSuccess({ ok: true, message, counts }, now));
  noteUntold(ledger, name, counts, now);
  events.emit({ type: 'chore.finished', name, kind: 'mirror', message, counts, tookMs });
}

function recordFailure({ deps, onTrouble }: SyncRunOptions, chore: Chore, why: unknown): void {
  const { ledger, effects, events } = deps;
  const { name } = chore;
  if (why === SYNC_STOPPED) return;
  if (why === SYNC_ENDED) return void ledger.chores.update(name, { endedAt: effects.now() });
  const known = isRoomError(why) ? why : null;
  if (known === null) onTrouble(why);
  const message = known?.message ?? `bug: ${String(why)}`;
  const change = failureOf(deps, chore, {
    record: { ok: false, message },
    code: known?.code ?? null,
    retryAfterMs: known?.retryAfterMs ?? null,
  });
  ledger.chores.update(name, change);
  const retryAt = change.retryAt ?? null;
  events.emit({ type: 'chore.failed', name, kind: 'mirror', message, hint: known?.hint ?? null, retryAt });
}

function tookTooLong(timeoutMs: number): RoomError {
  return new RoomError('unavailable', `it took longer than ${formatDuration(timeoutMs)} and was ended`, {
    hint: 'raise timeout in room.yaml when that is what it needs',
  });
}
