// The syncs that run now: a few side by side, never two of one chore, each with a bound on its time, from its start to its
// end on record. What a sync throws is its own failure.
import type { Chore } from '../core/chore/chore.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { formatDuration } from '../core/time/durations.ts';
import { sleep } from '../effects.ts';
import type { RoomParts } from '../store/ledger/ledger.ts';
import { afterSuccess, failureOf } from './chore-room.ts';
import { noteUntold } from './due.ts';

export interface ChoreResult {
  message: string; // One line: `3 created, 1 pushed`.
  counts: Readonly<Record<string, number>>;
}

/** Syncs a mirror; ends soon after `signal` aborts.
 * @throws RoomError what kept it from that, with retryAfterMs where the tracker said so */
export type SyncChore = (chore: Chore, signal: AbortSignal) => Promise<ChoreResult>;
type SyncRunsOptions = { deps: RoomParts; syncChore: SyncChore; onTrouble(error: unknown): void };

const AT_ONCE = 4; // Sources are independent, and mostly wait for the other side.
const STOP_GRACE_MS = 5_000;

/** Why a sync is aborted: the runtime stops. It has no end, and begins anew with the next start. */
const STOPPED = Symbol('stopped');
/** Why a sync is aborted: the chore is gone or paused. */
const ENDED = Symbol('ended');

type Run = { chore: Chore; control: AbortController; done: Promise<void> | null };

/** @param onEnd a sync is over, and on record */
export function createSyncRuns(options: SyncRunsOptions, onEnd: () => void) {
  const runs = new Map<string, Run>();
  let closed = false;

  function startWaiting(): void {
    const running = [...runs.values()].filter(({ done }) => done !== null).length;
    const waiting = [...runs.values()].filter(({ done }) => done === null);
    if (closed) return;
    for (const run of waiting.slice(0, Math.max(0, AT_ONCE - running))) run.done = carryOut(run);
  }

  async function carryOut({ chore, control }: Run): Promise<void> {
    try {
      await runSync(options, chore, control, () => closed);
    } finally {
      runs.delete(chore.name);
      startWaiting();
      if (!closed) onEnd();
    }
  }

  return {
    add(chore: Chore): void {
      if (closed || runs.has(chore.name)) return;
      runs.set(chore.name, { chore, control: new AbortController(), done: null });
      startWaiting();
    },
    has: (name: string): boolean => runs.has(name),
    count: (): number => runs.size,
    end(name: string): void {
      const run = runs.get(name);
      if (run === undefined) return;
      run.control.abort(ENDED);
      run.done ??= carryOut(run);
    },
    /** Ends all, and waits for it; they count as interrupted. */
    async stop(): Promise<void> {
      closed = true;
      for (const { control } of runs.values()) control.abort(STOPPED);
      const ended = new AbortController();
      const all = Promise.all([...runs.values()].map(({ done }) => done)).then(() => ended.abort());
      // One that is deaf to its signal must not keep the runtime from ending.
      await Promise.race([all, sleep(options.deps.effects, STOP_GRACE_MS, ended.signal)]);
      runs.clear();
    },
  };
}

/** Runs a sync until its end is on record. @param isClosed the runtime stops: what succeeds now is not recorded any more */
async function runSync(
  { deps, syncChore, onTrouble }: SyncRunsOptions,
  chore: Chore,
  control: AbortController,
  isClosed: () => boolean,
): Promise<void> {
  const { effects } = deps;
  const { timeoutMs } = deps.config();
  const startedAt = effects.monotonicMs();
  const clock = effects.setTimer(timeoutMs, () => control.abort(tookTooLong(timeoutMs)), true);
  try {
    // The first step of a sync may throw before it has anything to await.
    await null;
    control.signal.throwIfAborted();
    const result = await syncChore(chore, control.signal);
    if (!isClosed()) recordSuccess(deps, chore, result, effects.monotonicMs() - startedAt);
  } catch (error) {
    const why: unknown = control.signal.aborted ? control.signal.reason : error;
    try {
      if (why !== STOPPED) recordFailure(deps, chore, why, onTrouble);
    } catch (fault) {
      onTrouble(fault);
    }
  } finally {
    clock.cancel();
  }
}

function recordSuccess(
  { ledger, effects, events }: RoomParts,
  { name }: Chore,
  { message, counts }: ChoreResult,
  tookMs: number,
): void {
  const now = effects.now();
  ledger.chores.update(name, afterSuccess({ ok: true, message, counts }, now));
  noteUntold(ledger, name, counts, now);
  events.emit({ type: 'chore.finished', name, kind: 'mirror', message, counts, tookMs });
}

function recordFailure(deps: RoomParts, chore: Chore, why: unknown, onTrouble: (error: unknown) => void) {
  const { ledger, effects, events } = deps;
  const { name } = chore;
  if (why === ENDED) return void ledger.chores.update(name, { endedAt: effects.now() });
  const known = isRoomError(why) ? why : null;
  if (known === null) onTrouble(why);
  const { code = null, retryAfterMs = null, hint = null } = known ?? {};
  const message = known?.message ?? `bug: ${String(why)}`;
  const change = failureOf(deps, chore, { record: { ok: false, message }, code, retryAfterMs });
  ledger.chores.update(name, change);
  const retryAt = change.retryAt ?? null;
  events.emit({ type: 'chore.failed', name, kind: 'mirror', message, hint, retryAt });
}

function tookTooLong(timeoutMs: number): RoomError {
  const hint = 'raise timeout in room.yaml when that is what it needs';
  return new RoomError('unavailable', `it took longer than ${formatDuration(timeoutMs)} and was ended`, hint);
}
