// What an observation leads to: turns of tasks that were paused, canceled or finished are stopped, the tasks it touches
// are decided over, and what follows from it is written into the room.
import { threadOfTask } from '../../core/ids.ts';
import { applyConsequences } from '../../tasks/observe/apply-consequences.ts';
import type { Observation } from '../../tasks/observe/observer.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { FirstLook } from '../first-look.ts';
import type { IdleWatch } from '../idle-watch.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';
import type { Pushes } from '../upstream-pushes.ts';
import type { Decider } from './decider.ts';
import type { Settling } from './settling.ts';

export interface ObservationsOptions {
  deps: TaskRoom;
  decider: Pick<Decider, 'inputChanged'>;
  settling: Pick<Settling, 'decide'>;
  running: Pick<RunningTurns, 'stop' | 'windDown'>;
  pushes: Pick<Pushes, 'look'>;
  firstLook: FirstLook;
  /** Whether the room is still this process's: what is seen in another's is that one's to act on. */
  holdsRoom(): boolean;
  idle: Pick<IdleWatch, 'check' | 'busyAgain'>;
  onTrouble(error: unknown): void;
}

export interface Observations {
  /** An observation was recorded. */
  take(observation: Observation): void;
}

// A task seen done gives its turn this long to end by itself.
const WIND_DOWN_MS = 60_000;

export function createObservations(options: ObservationsOptions): Observations {
  const { deps, decider, settling, running, pushes, firstLook, holdsRoom, idle } = options;
  return {
    take({ kind, id, inputChanged, stop, windDown, look }) {
      if (!holdsRoom()) return;
      idle.busyAgain();
      if (id !== null && inputChanged) decider.inputChanged(id);
      for (const stopped of stop) running.stop(threadOfTask(stopped.id), stopped.reason);
      for (const done of windDown) running.windDown(threadOfTask(done), WIND_DOWN_MS);
      if (firstLook.isOver) {
        pushes.look();
        look.forEach(settling.decide);
        if (kind !== 'invalid') void applyConsequences(deps).catch(options.onTrouble);
      }
      idle.check();
    },
  };
}
