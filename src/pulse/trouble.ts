// What goes wrong outside (disk full, folder gone, ledger busy) is told once, and told as mended once it works again.
// A bug is told with its stack; neither ends the loop.
import { RoomError } from '../core/errors.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export interface TroubleDesk {
  report(error: unknown): void;
  /** Call after something that needs the disk worked; true when there was trouble before. */
  mended(): boolean;
}

// The same words again within this time are not repeated.
const REPEAT_MS = 60_000;

export function createTroubleDesk(deps: TaskRoom): TroubleDesk {
  const told = new Map<string, number>();
  return {
    report(error) {
      const expected = error instanceof RoomError;
      const message = expected
        ? error.message
        : `bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
      const now = deps.effects.monotonicMs();
      const last = told.get(message);
      if (last !== undefined && now - last < REPEAT_MS) return;
      told.set(message, now);
      deps.events.emit({
        type: 'room.trouble',
        message,
        hint: expected ? (error.hint ?? null) : 'please report this',
      });
    },
    mended() {
      if (told.size === 0) return false;
      told.clear();
      deps.events.emit({ type: 'room.mended', message: 'the room can be read and written again' });
      return true;
    },
  };
}
