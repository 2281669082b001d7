// Everything that happens because time passed: sweeps, retries, the heartbeat, housekeeping. One timer each, armed
// anew after each run, so that a long run never piles up.

import type { TaskId } from '../core/ids.ts';
import { dueTick } from '../core/time/schedule.ts';
import type { Timer } from '../effects.ts';
import { archiveDue } from '../tasks/change/archive.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import { housekeep } from './housekeeping.ts';

export interface TimedWorkOptions {
  deps: TaskRoom;
  /** Resolves with how many files there are. */
  sweep(): Promise<number>;
  look(id: TaskId): void;
  onTrouble(error: unknown): void;
}

export interface TimedWork {
  /** Arms everything in a room of `files` task files; resolves when what was due by now is done. */
  start(files: number): Promise<void>;
  /** The next retry may have moved. */
  armRetry(): void;
  close(): void;
}

const HOUSEKEEPING_MS = 60 * 60_000;
const SETTLE_KEPT_MS = 2_500;
// A sweep takes some 4 µs a file: with this rest after it, a five-hundredth of a core at most. Counted, not measured, so
// that a sweep that found much to take in, or met a busy machine, does not put the next one off.
const SWEEP_REST_MS_PER_FILE = 2;
// While the room can't be listed.
const SWEEP_AGAIN_MS = 2_000;
const RETRY_AGAIN_MS = 5_000;
// Laptops sleep and clocks are set: never wait for the heartbeat without a look at the clock for longer.
const LONGEST_WAIT_MS = 60_000;

export function createTimedWork(options: TimedWorkOptions): TimedWork {
  const { deps } = options;
  const { effects } = deps;
  const timers = new Map<string, Timer>();
  let closed = false;

  function after(name: string, delayMs: number, run: () => unknown): void {
    timers.get(name)?.cancel();
    if (closed) return;
    const attempt = async () => {
      try {
        await run();
      } catch (error) {
        options.onTrouble(error);
      }
    };
    timers.set(
      name,
      effects.setTimer(delayMs, () => void attempt(), true),
    );
  }

  function armSweep(files: number): void {
    after('sweep', Math.max(deps.config().sweepMs, files * SWEEP_REST_MS_PER_FILE), sweepNow);
  }

  async function sweepNow(): Promise<void> {
    try {
      armSweep(await options.sweep());
    } catch (error) {
      after('sweep', SWEEP_AGAIN_MS, sweepNow);
      throw error;
    }
  }

  function armHousekeeping(): void {
    after('housekeeping', HOUSEKEEPING_MS, async () => {
      try {
        await tidy();
      } finally {
        armHousekeeping();
      }
    });
  }

  async function tidy(): Promise<void> {
    await archiveDue(deps);
    await housekeep(deps);
  }

  function armKept(): void {
    after('kept', SETTLE_KEPT_MS, async () => {
      try {
        // A look at the ledger is all an idle room pays for this.
        if (deps.ledger.writes.oldInodes.list(effects.now(), 1).length > 0)
          await deps.writer.settleOldInodes();
      } finally {
        armKept();
      }
    });
  }

  function armRetry(leastMs = 0): void {
    const at = deps.ledger.tasks.nextRetryAt();
    if (at === null) return;
    after('retry', Math.min(Math.max(at - effects.now(), leastMs), LONGEST_WAIT_MS), () => {
      for (const id of deps.ledger.tasks.retriesDue(effects.now())) options.look(id);
      // One that can't start now (its agent is missing, say) stays due: look at it again, but not at once.
      armRetry(RETRY_AGAIN_MS);
    });
  }

  function beat(): void {
    const { heartbeat, timezone } = deps.config();
    if (heartbeat === null) return after('heartbeat', LONGEST_WAIT_MS, beat);
    const now = effects.now();
    const stored = deps.ledger.meta.get('heartbeat');
    const tick = dueTick(heartbeat, timezone, Number(stored ?? now), now);
    if (String(tick.lastMs) !== stored) deps.ledger.meta.set('heartbeat', String(tick.lastMs));
    if (tick.due) {
      const open = deps.ledger.tasks
        .withStatus(['todo', 'doing'])
        .filter((memory) => !memory.paused && !memory.blocked);
      deps.ledger.transaction(() => {
        for (const { id } of open) deps.ledger.wakes.add(id, 'heartbeat', now);
      });
      for (const { id } of open) options.look(id);
    }
    const wait =
      tick.nextMs === null ? LONGEST_WAIT_MS : Math.min(Math.max(tick.nextMs - now, 1_000), LONGEST_WAIT_MS);
    after('heartbeat', wait, beat);
  }

  return {
    async start(files) {
      armSweep(files);
      armHousekeeping();
      armKept();
      armRetry();
      // Now, not by timer: a room that only ever runs `once` has its heartbeat and its archive too.
      beat();
      await tidy();
    },
    armRetry: () => armRetry(),
    close() {
      closed = true;
      for (const timer of timers.values()) timer.cancel();
    },
  };
}
