// The steps of a change of many tasks: between two of them others have their turn, and now and then it is told how many
// are done.
import type { RoomEvent } from '../../core/events.ts';
import { createPace } from '../../effects.ts';
import type { TaskRoom } from '../task-room.ts';

type Progress = Extract<RoomEvent, { type: 'bulk.progress' }>;

/** Told of so many steps at once: a small change is told of by its answer alone. */
const TOLD_EACH = 100;

/** To be awaited before each of `total` steps. */
export function createSteps(
  { effects, events }: TaskRoom,
  phase: Progress['phase'],
  total: number,
): () => Promise<void> {
  const pace = createPace(effects);
  let done = 0;
  return async () => {
    await pace();
    done += 1;
    if (done % TOLD_EACH === 0) events.emit({ type: 'bulk.progress', phase, done, total });
  };
}
