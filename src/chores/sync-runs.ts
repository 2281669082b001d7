// The syncs that run now: a few side by side, never two of one chore.
import type { Chore } from '../core/chore/chore.ts';
import { sleep } from '../effects.ts';
import type { ChoreRoom } from './chore-room.ts';
import { runSync, SYNC_ENDED, SYNC_STOPPED, type SyncChore } from './sync-run.ts';

export interface SyncRunsOptions {
  deps: ChoreRoom;
  sync: SyncChore;
  /** A sync is over, and on record. */
  onEnd(): void;
  onTrouble(error: unknown): void;
}

export type SyncRuns = ReturnType<typeof createSyncRuns>;

// Sources are independent, and mostly wait for the other side.
const AT_ONCE = 4;
const STOP_GRACE_MS = 5_000;

interface Run {
  chore: Chore;
  control: AbortController;
  done: Promise<void> | null;
}

export function createSyncRuns({ deps, sync, onEnd, onTrouble }: SyncRunsOptions) {
  const runs = new Map<string, Run>();
  let closed = false;

  function startWaiting(): void {
    const running = [...runs.values()].filter(({ done }) => done !== null).length;
    const waiting = [...runs.values()].filter(({ done }) => done === null);
    if (closed) return;
    for (const run of waiting.slice(0, Math.max(0, AT_ONCE - running))) run.done = carryOut(run);
  }

  async function carryOut(run: Run): Promise<void> {
    try {
      await runSync({ deps, sync, onTrouble, isClosed: () => closed }, run.chore, run.control);
    } finally {
      runs.delete(run.chore.name);
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
    /** How many run or wait for their place. */
    count: (): number => runs.size,
    /** Ends the sync of a chore that is gone or paused. */
    end(name: string): void {
      const run = runs.get(name);
      if (run === undefined) return;
      run.control.abort(SYNC_ENDED);
      if (run.done === null) run.done = carryOut(run);
    },
    /** Ends all, and waits for it; they count as interrupted. */
    async stop(): Promise<void> {
      closed = true;
      for (const { control } of runs.values()) control.abort(SYNC_STOPPED);
      const ended = new AbortController();
      const all = Promise.all([...runs.values()].map(({ done }) => done)).then(() => ended.abort());
      // One that is deaf to its signal must not keep the runtime from ending.
      await Promise.race([all, sleep(deps.effects, STOP_GRACE_MS, ended.signal)]);
      runs.clear();
    },
  };
}
