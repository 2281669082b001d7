// The next look at the whole room, after each one: the watcher's hints only make it sooner.
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Alarm } from '../alarm.ts';

export interface SweepsOptions {
  deps: Pick<TaskRoom, 'config'>;
  alarm: Alarm;
  /** Looks at the whole room; resolves with how many files there are. */
  sweep(): Promise<number>;
}

export interface Sweeps {
  /** Sweeps again after a while, in a room of `files` task files. */
  wait(files: number): void;
}

// A sweep takes some 4 µs a file: with this rest after it, a five-hundredth of a core at most. Counted, not measured, so
// that a sweep that found much to take in, or met a busy machine, does not put the next one off.
const REST_MS_PER_FILE = 2;
// While the room can't be listed.
const AGAIN_MS = 2_000;

export function createSweeps({ deps, alarm, sweep }: SweepsOptions): Sweeps {
  async function sweepNow(): Promise<void> {
    try {
      wait(await sweep());
    } catch (error) {
      alarm.set(AGAIN_MS, sweepNow);
      throw error;
    }
  }

  function wait(files: number): void {
    alarm.set(Math.max(deps.config().sweepMs, files * REST_MS_PER_FILE), sweepNow);
  }

  return { wait };
}
