// What goes wrong outside (disk full, folder gone, ledger busy) is told once, and told as mended once it works again.
// A bug is told with its stack; neither ends the loop. What is wrong now stands in the ledger for `status`.
import { isRoomError, type RoomError } from '../../core/errors.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

const REPEAT_MS = 60_000; // The same words again within this time are not repeated.
const QUIET_MS = 7_000; // What goes on is reported again sooner than this: every retry is.

interface Reported {
  at: number;
  lastAt: number; // The last time it was reported, sent out or not.
  gone: boolean; // A look at the whole room that works ends it.
  hint: string | null;
}

export function createTroubleReporter(deps: TaskRoom) {
  const reported = new Map<string, Reported>();
  const noted = new Map<string, RoomError>();
  let recorded = '';

  function record(): void {
    const passing = [...reported].map(([message, { hint }]) => ({ message, hint }));
    const lasting = [...noted.values()].map(describe);
    const text = JSON.stringify([...lasting, ...passing]);
    if (text === recorded) return;
    try {
      deps.ledger.meta.set('trouble', text);
      recorded = text;
    } catch {
      // The ledger's disk may be the trouble: it is recorded with the next change.
    }
  }

  const tell = (error: unknown) => deps.events.emit({ type: 'room.trouble', ...describe(error) });

  record();
  return {
    report(error: unknown): void {
      const { message, hint } = describe(error);
      const now = deps.effects.monotonicMs();
      const before = reported.get(message);
      const isNews = before === undefined || now - before.at >= REPEAT_MS;
      const at = isNews ? now : before.at;
      reported.set(message, { at, lastAt: now, gone: isRoomError(error, 'room_gone'), hint });
      record();
      if (isNews) tell(error);
    },
    /** Trouble that lasts until it is noted as over (null), whatever else works. */
    note(about: string, trouble: RoomError | null): void {
      const before = noted.get(about);
      if (trouble === null) noted.delete(about);
      else noted.set(about, trouble);
      record();
      if (trouble !== null && trouble.message !== before?.message) tell(trouble);
      if (trouble === null && before !== undefined)
        deps.events.emit({ type: 'room.mended', message: `over: ${before.message}` });
    },
    /** Call after a look at the whole room worked; true when there was trouble and it is over. */
    mended(): boolean {
      const now = deps.effects.monotonicMs();
      const over = [...reported].filter(([, { lastAt, gone }]) => gone || now - lastAt >= QUIET_MS);
      for (const [message] of over) reported.delete(message);
      record();
      if (over.length > 0 && reported.size === 0)
        deps.events.emit({ type: 'room.mended', message: 'the room can be read and written again' });
      return over.length > 0;
    },
    close(): void {
      reported.clear();
      noted.clear();
      record();
    },
  };
}

function describe(error: unknown): { message: string; hint: string | null } {
  if (isRoomError(error)) return { message: error.message, hint: error.hint ?? null };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: `bug: ${text}`, hint: 'please report this' };
}
