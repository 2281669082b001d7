// What an observation leads to: turns of tasks that were paused, canceled or finished are stopped, the tasks it touches
// are decided over, and what follows from it is written into the room.
import { isRoomError } from '../../core/errors.ts';
import { threadOfTask } from '../../core/ids.ts';
import { applyConsequences } from '../../tasks/observe/apply-consequences.ts';
import type { Observation } from '../../tasks/observe/observer.ts';
import type { Base } from '../base.ts';
import type { RunningTurns } from '../schedule/running-turns.ts';
import type { Decider } from './decider.ts';
import type { Settling } from './settling.ts';

export interface ObservationsOptions
  extends Pick<Base, 'deps' | 'firstLook' | 'holdsRoom' | 'idle' | 'feedback' | 'onTrouble' | 'note'> {
  decider: Pick<Decider, 'inputChanged'>;
  settling: Pick<Settling, 'decide'>;
  running: Pick<RunningTurns, 'stop' | 'windDown'>;
  /** Looks for mirrors that a change made dirty. */
  pushes: { look(): void };
}

export type Observations = ReturnType<typeof createObservations>;

// A task seen done gives its turn this long to end by itself.
const WIND_DOWN_MS = 60_000;

export function createObservations(options: ObservationsOptions) {
  const { deps, decider, settling, running, pushes, firstLook, holdsRoom, idle, feedback } = options;
  let carrying: Promise<void> | null = null;
  let isMore = false;

  /** One at a time: a thousand tasks that end together are carried out once, and not once for each. */
  function carryOut(): Promise<void> {
    isMore = true;
    carrying ??= carryOutAll().finally(() => {
      carrying = null;
      idle.check();
    });
    return carrying;
  }

  async function carryOutAll(): Promise<void> {
    while (isMore) {
      isMore = false;
      try {
        const written = await applyConsequences(deps);
        await Promise.all(written.map(({ id }) => feedback.lookAtTask(id)));
        options.note('history', null);
      } catch (error) {
        if (isRoomError(error, 'io')) options.note('history', error);
        else options.onTrouble(error);
      }
    }
  }

  return {
    carryOut,
    /** Nothing is being written. */
    isQuiet: (): boolean => carrying === null,
    /** An observation was recorded. */
    take({ kind, id, inputChanged, stop, windDown, look }: Observation): void {
      if (!holdsRoom()) return;
      idle.busyAgain();
      if (id !== null && inputChanged) decider.inputChanged(id);
      for (const stopped of stop) running.stop(threadOfTask(stopped.id), stopped.reason);
      for (const done of windDown) running.windDown(threadOfTask(done), WIND_DOWN_MS);
      if (firstLook.isOver) {
        pushes.look();
        look.forEach(settling.decide);
        if (kind !== 'invalid') void carryOut();
      }
      idle.check();
    },
  };
}
