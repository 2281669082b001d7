// What an observation leads to: turns of tasks that were paused, canceled or finished are stopped, the tasks that it touches
// become dirty, and what follows from it is written into the room.
import { isRoomError } from '../core/errors.ts';
import { threadOfTask } from '../core/ids.ts';
import { createRounds } from '../core/keyed-mutex.ts';
import { applyConsequences } from '../tasks/observe/consequences.ts';
import type { Observation } from '../tasks/observe/observer.ts';
import type { Loop } from './state/loop.ts';

const WIND_DOWN_MS = 60_000; // A task seen done gives its turn this long to end by itself.

/** @param pushes sends local changes upstream */
export function createReact(loop: Loop, pushes: { look(): void }) {
  const { deps, active, dirtyTasks, dirtyPaths } = loop;
  // One at a time: the ends of a thousand tasks are carried out once, and not once for each.
  const rounds = createRounds(() => loop.during(carryOutNow));

  async function carryOutNow(): Promise<void> {
    try {
      const written = await applyConsequences(deps);
      await Promise.all(written.map(({ id }) => dirtyPaths.pushTask(id)));
      loop.note('history', null);
    } catch (error) {
      if (isRoomError(error, 'io')) loop.note('history', error);
      else loop.onTrouble(error);
    }
  }

  function react(observation: Observation, byTurn: boolean): void {
    if (!loop.holdsRoom()) return;
    const { kind, id, inputChanged } = observation;
    if (id !== null && inputChanged) {
      if (active.running.has(threadOfTask(id))) dirtyTasks.editedInside.add(id);
      else dirtyTasks.editedInside.delete(id);
    }
    if (id !== null && !byTurn && (inputChanged || observation.answerTyped)) dirtyTasks.push(id, 'edited');
    for (const { id: stopped, reason } of observation.stop) active.stop(threadOfTask(stopped), reason);
    for (const done of observation.windDown) active.windDown(threadOfTask(done), WIND_DOWN_MS);
    for (const touched of observation.look) dirtyTasks.push(touched);
    if (loop.firstScan.isOver) {
      pushes.look();
      if (kind !== 'invalid') void rounds.ask();
    }
    loop.busyAgain();
  }

  loop.observations.takenBy(react);
  return {
    /** Writes what follows from all that was observed: history lines, the end of canceled tasks' subtasks. Never rejects. */
    async carryOut(): Promise<void> {
      await rounds.ask();
      await rounds.settled();
    },
  };
}
