// The syncs that run now: a few side by side, never two of one chore, each with a bound on its time, and its end on
// record. What one throws is its own failure.
import type { Chore } from '../core/chore/chore.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import { formatDuration } from '../core/time/durations.ts';
import { sleep } from '../effects.ts';
import type { ChoreRoom } from './chore-room.ts';
import { afterFailure, afterSuccess } from './run-end.ts';

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

export interface SyncRunsOptions {
  deps: ChoreRoom;
  sync: SyncChore;
  /** A sync is over, and on record. */
  onEnd(): void;
  onTrouble(error: unknown): void;
}

export interface SyncRuns {
  add(chore: Chore): void;
  has(name: string): boolean;
  /** How many run or wait for their place. */
  count(): number;
  /** Ends the sync of a chore that is gone or paused. */
  end(name: string): void;
  /** Ends all, and waits for it; they count as interrupted. */
  stop(): Promise<void>;
}

// Sources are independent, and mostly wait for the other side.
const AT_ONCE = 4;
const STOP_GRACE_MS = 5_000;

interface Run {
  chore: Chore;
  control: AbortController;
  done: Promise<void> | null;
}

export function createSyncRuns({ deps, sync, onEnd, onTrouble }: SyncRunsOptions): SyncRuns {
  const { ledger, effects, events } = deps;
  const runs = new Map<string, Run>();
  let closed = false;

  function startWaiting(): void {
    const running = [...runs.values()].filter(({ done }) => done !== null).length;
    const waiting = [...runs.values()].filter(({ done }) => done === null);
    if (closed) return;
    for (const run of waiting.slice(0, Math.max(0, AT_ONCE - running))) run.done = carryOut(run);
  }

  async function carryOut({ chore, control }: Run): Promise<void> {
    const { timeoutMs } = deps.config();
    const startedAt = effects.monotonicMs();
    const clock = effects.setTimer(timeoutMs, () => control.abort(tookTooLong(timeoutMs)), true);
    try {
      const result = await guarded(chore, control.signal);
      if (!closed) succeed(chore, result, effects.monotonicMs() - startedAt);
    } catch (error) {
      const why: unknown = control.signal.aborted ? control.signal.reason : error;
      try {
        end(chore, why);
      } catch (fault) {
        onTrouble(fault);
      }
    } finally {
      clock.cancel();
      runs.delete(chore.name);
      startWaiting();
      if (!closed) onEnd();
    }
  }

  async function guarded(chore: Chore, signal: AbortSignal): Promise<ChoreResult> {
    // The first step of a sync may throw before it has anything to await.
    await null;
    signal.throwIfAborted();
    return sync(chore, signal);
  }

  function succeed(chore: Chore, { message, counts }: ChoreResult, tookMs: number): void {
    const { name } = chore;
    ledger.chores.update(name, afterSuccess({ ok: true, message, counts }, effects.now()));
    events.emit({ type: 'chore.finished', name, kind: 'mirror', message, counts, tookMs });
  }

  function end(chore: Chore, why: unknown): void {
    const now = effects.now();
    // Stopped with the runtime it has no end, and begins anew with the next start.
    if (why === STOPPED) return;
    if (why === ENDED) return ledger.chores.update(chore.name, { endedAt: now });
    if (!isRoomError(why)) onTrouble(why);
    const message = isRoomError(why) ? why.message : `bug: ${String(why)}`;
    const { maxAttempts, timezone } = deps.config();
    const change = afterFailure({
      chore,
      record: { ok: false, message },
      code: isRoomError(why) ? why.code : null,
      retryAfterMs: isRoomError(why) ? (why.retryAfterMs ?? null) : null,
      failures: ledger.chores.get(chore.name)?.failures ?? 0,
      maxAttempts,
      timezone,
      now,
      random: effects.randomBytes(1)[0]! / 256,
    });
    ledger.chores.update(chore.name, change);
    const hint = isRoomError(why) ? (why.hint ?? null) : null;
    const retryAt = change.retryAt ?? null;
    events.emit({ type: 'chore.failed', name: chore.name, kind: 'mirror', message, hint, retryAt });
  }

  return {
    add(chore) {
      if (closed || runs.has(chore.name)) return;
      runs.set(chore.name, { chore, control: new AbortController(), done: null });
      startWaiting();
    },
    has: (name) => runs.has(name),
    count: () => runs.size,
    end(name) {
      const run = runs.get(name);
      if (run === undefined) return;
      run.control.abort(ENDED);
      if (run.done === null) run.done = carryOut(run);
    },
    async stop() {
      closed = true;
      for (const { control } of runs.values()) control.abort(STOPPED);
      const ended = new AbortController();
      const all = Promise.all([...runs.values()].map(({ done }) => done)).then(() => ended.abort());
      // One that is deaf to its signal must not keep the runtime from ending.
      await Promise.race([all, sleep(effects, STOP_GRACE_MS, ended.signal)]);
      runs.clear();
    },
  };
}

/** The runtime stops. */
const STOPPED = Symbol('stopped');
/** The chore is gone or paused. */
const ENDED = Symbol('ended');

function tookTooLong(timeoutMs: number): RoomError {
  return new RoomError('unavailable', `it took longer than ${formatDuration(timeoutMs)} and was ended`, {
    hint: 'raise timeout in room.yaml when that is what it needs',
  });
}
