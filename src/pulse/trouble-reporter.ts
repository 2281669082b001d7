// What goes wrong outside (disk full, folder gone, ledger busy) is told once, and told as mended once it works again.
// A bug is told with its stack; neither ends the loop.
import { isRoomError } from '../core/errors.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export interface TroubleReporter {
  report(error: unknown): void;
  /** Call after a look at the whole room worked; true when there was trouble and it is over. */
  mended(): boolean;
}

// The same words again within this time are not repeated.
const REPEAT_MS = 60_000;
// What goes on is reported again sooner than this: every retry is.
const QUIET_MS = 7_000;

interface Told {
  at: number;
  /** The last time it was reported, told or not. */
  lastAt: number;
  /** A look at the whole room that works ends it. */
  gone: boolean;
}

export function createTroubleReporter(deps: TaskRoom): TroubleReporter {
  const told = new Map<string, Told>();
  return {
    report(error) {
      const { message, hint } = describe(error);
      const now = deps.effects.monotonicMs();
      const before = told.get(message);
      const isNews = before === undefined || now - before.at >= REPEAT_MS;
      const at = isNews ? now : before.at;
      told.set(message, { at, lastAt: now, gone: isRoomError(error, 'room_gone') });
      if (isNews) deps.events.emit({ type: 'room.trouble', message, hint });
    },
    mended() {
      const now = deps.effects.monotonicMs();
      const over = [...told].filter(([, { lastAt, gone }]) => gone || now - lastAt >= QUIET_MS);
      for (const [message] of over) told.delete(message);
      if (over.length > 0 && told.size === 0)
        deps.events.emit({ type: 'room.mended', message: 'the room can be read and written again' });
      return over.length > 0;
    },
  };
}

function describe(error: unknown): { message: string; hint: string | null } {
  if (isRoomError(error)) return { message: error.message, hint: error.hint ?? null };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: `bug: ${text}`, hint: 'please report this' };
}
