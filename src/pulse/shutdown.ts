// The way out of a running loop: no new turns, the running ones get their time, then all that was opened is released.
import type { RoomError } from '../core/errors.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { Loop } from './loop.ts';
import type { RunningPulse } from './ports.ts';

export interface ShutdownOptions {
  deps: Pick<TaskRoom, 'effects' | 'events'>;
  loop: Loop;
  /** Closes all that was opened; the last step. */
  release(): Promise<void>;
}

export interface Shutdown extends Pick<RunningPulse, 'finished' | 'stop'> {
  /** Stops at once; `finished` rejects with the error. */
  fail(error: RoomError): void;
}

export function createShutdown({ deps, loop, release }: ShutdownOptions): Shutdown {
  const { effects, events } = deps;
  const { running, chores, pushes, webhookNews, scheduler, turns } = loop;
  const finished = Promise.withResolvers<{ turns: number; failed: number }>();
  // It may fail before anybody waits for it.
  finished.promise.catch(() => {});
  let stopping: Promise<void> | null = null;
  let failure: RoomError | null = null;

  async function shutDown(graceMs: number): Promise<void> {
    loop.idle.close();
    events.emit({ type: 'room.stopping', turns: running.count() });
    running.drain();
    const grace = effects.setTimer(graceMs, () => running.stopAll('interrupted'));
    await Promise.all([chores.stop(), pushes.stop(), webhookNews.stop(), scheduler.settled()]);
    grace.cancel();
    await loop.inboxNews.stop();
    await loop.notices.stop();
    await release();
    events.emit({ type: 'room.stopped' });
    if (failure === null) finished.resolve(turns.count());
    else finished.reject(failure);
  }

  function stop(graceMs: number): Promise<void> {
    if (stopping === null) stopping = shutDown(graceMs);
    else if (graceMs === 0) running.stopAll('interrupted');
    return stopping;
  }

  return {
    finished: finished.promise,
    stop,
    fail(error) {
      failure ??= error;
      stop(0).catch(finished.reject);
    },
  };
}
