// What the live log leaves out because it says it already: syncs that find nothing new each few minutes, and that the
// room is idle again after one.
import type { RoomEvent } from '../../../../core/events.ts';

/**
 * @returns tells of each event whether the log has said the same and nothing since; to be asked with every event, in
 *   their order
 */
export function createRepeatFilter(): (event: RoomEvent, hasLines: boolean) => boolean {
  const quiet = new Set<string>();
  let idle = false;
  return (event, hasLines) => {
    if (event.type === 'room.idle') {
      const told = idle;
      idle = true;
      return told;
    }
    if (event.type === 'chore.finished' && event.kind === 'mirror') {
      const isQuiet = Object.entries(event.counts).every(
        ([what, count]) => what === 'requests' || count === 0,
      );
      if (isQuiet && quiet.has(event.name)) return true;
      if (isQuiet) quiet.add(event.name);
      else quiet.delete(event.name);
    } else if (event.type === 'chore.failed' || event.type === 'chore.invalid') quiet.clear();
    if (hasLines) idle = false;
    return false;
  };
}
