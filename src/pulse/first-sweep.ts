// The first look at the whole room, and the decisions that follow from it.
import type { TaskRoom } from '../tasks/task-room.ts';
import type { Loop } from './loop.ts';

/**
 * Takes in the whole room for the first time and decides over it; resolves with how many files there are.
 * @param startedAt when the start began, ms on the monotonic clock
 */
export async function takeFirstLook(loop: Loop, deps: TaskRoom, startedAt: number): Promise<number> {
  const { ledger, effects, events } = deps;
  const isNew = ledger.meta.get('observed') === null;
  const onProgress = (done: number, total: number) => events.emit({ type: 'room.scanning', done, total });
  const { total } = await loop.intake.sweep({ first: true, onProgress });
  if (isNew) {
    // Nobody knows how far a task got that says doing: it waits for `run` or an edit.
    for (const { id, revision } of ledger.tasks.withStatus(['doing']))
      ledger.tasks.update(id, { consumed: revision });
    ledger.meta.set('observed', String(effects.now()));
  }
  loop.firstLook.isOver = true;
  loop.pushes.look();
  loop.settling.decideGathered({ holdsMany: !isNew });
  loop.decider.decideAll();
  const tookMs = effects.monotonicMs() - startedAt;
  events.emit({ type: 'room.ready', tasks: total, invalid: ledger.files.invalid().length, tookMs });
  return total;
}
