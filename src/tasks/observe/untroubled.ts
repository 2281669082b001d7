// What follows a change that stands: a disk that refuses there is trouble to be told; the next look finds what was left.
import { isPassing, type RoomError } from '../../core/errors.ts';
import type { TaskRoom } from '../task-room.ts';

/** Runs `follow`; what the disk or another process refuses of it is told as `room.trouble`. */
export async function untroubled({ events }: Pick<TaskRoom, 'events'>, follow: () => void | Promise<void>) {
  try {
    await follow();
  } catch (error) {
    if (!isPassing(error)) throw error;
    const { message, hint } = error as RoomError;
    events.emit({ type: 'room.trouble', message, hint: hint ?? null });
  }
}
