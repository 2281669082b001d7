// The way out of a running loop: no new turns, the running ones get their time, then all that was opened is released.
import type { TaskRoom } from '../tasks/task-room.ts';
import type { Loop } from './loop.ts';
import type { RunningPulse } from './pulse-dependencies.ts';

export interface ShutdownOptions {
  deps: Pick<TaskRoom, 'effects' | 'events'>;
  loop: Loop;
  /** Closes all that was opened; the last step. */
  release(): Promise<void>;
}

export function createShutdown({ deps, loop, release }: ShutdownOptions): RunningPulse {
  const { effects, events } = deps;
  const { running, chores, pushes, scheduler, turns } = loop;
  const finished = Promise.withResolvers<{ turns: number; failed: number }>();
  let stopping: Promise<void> | null = null;

  async function shutDown(graceMs: number): Promise<void> {
    loop.idle.close();
    events.emit({ type: 'room.stopping', turns: running.count() });
    running.drain();
    const grace = effects.setTimer(graceMs, () => running.stopAll('interrupted'));
    await Promise.all([chores.stop(), pushes.stop(), scheduler.settled()]);
    grace.cancel();
    await release();
    events.emit({ type: 'room.stopped' });
    finished.resolve(turns.count());
  }

  return {
    finished: finished.promise,
    stop(graceMs) {
      if (stopping === null) stopping = shutDown(graceMs);
      else if (graceMs === 0) running.stopAll('interrupted');
      return stopping;
    },
  };
}
