// What an observation leads to: turns of tasks that were paused, canceled or finished are stopped, the tasks that it touches
// become dirty, and what follows from it is written into the room.
import { isRoomError } from '../core/errors.ts';
import { threadOfTask } from '../core/ids.ts';
import { createRounds } from '../effects.ts';
import { applyConsequences } from '../tasks/observe/consequences.ts';
import type { Base } from './base.ts';
import type { Due } from './due/due.ts';

interface ReactOptions {
  due: Pick<Due, 'edited' | 'inputChanged'>;
  pushes: { look(): void };
}

// A task seen done gives its turn this long to end by itself.
const WIND_DOWN_MS = 60_000;

export function createReact(base: Base, { due, pushes }: ReactOptions) {
  const { deps, active, dirtyTasks, dirtyPaths } = base;
  // One at a time: the ends of a thousand tasks are carried out once, and not once for each.
  const rounds = createRounds(() => base.during(carryOutNow));

  async function carryOutNow(): Promise<void> {
    try {
      const written = await applyConsequences(deps);
      await Promise.all(written.map(({ id }) => dirtyPaths.lookAtTask(id)));
      base.note('history', null);
    } catch (error) {
      if (isRoomError(error, 'io')) base.note('history', error);
      else base.onTrouble(error);
    }
  }

  base.observations.takenBy((observation, byTurn) => {
    if (!base.holdsRoom()) return;
    const { kind, id, inputChanged } = observation;
    base.busyAgain();
    if (id !== null && inputChanged) due.inputChanged(id);
    if (id !== null && !byTurn && (inputChanged || observation.answerTyped)) due.edited(id);
    for (const { id: stopped, reason } of observation.stop) active.stop(threadOfTask(stopped), reason);
    for (const done of observation.windDown) active.windDown(threadOfTask(done), WIND_DOWN_MS);
    if (base.firstScan.isOver) {
      pushes.look();
      observation.look.forEach(dirtyTasks.push);
      if (kind !== 'invalid') void rounds.ask();
    }
    base.checkIdle();
  });

  return {
    /** Writes what follows from all that was observed: history lines, the end of canceled tasks' subtasks. Never rejects. */
    async carryOut(): Promise<void> {
      await rounds.ask();
      await rounds.settled();
    },
  };
}
