// The room's watcher while the loop runs: opened, opened anew after the room was away, and closed. Settings count once
// they are quiet. Where the system has no watcher left, the room is looked at every few seconds until it has.
import { isRoomError } from '../../core/errors.ts';
import type { Effects, Timer } from '../../effects.ts';
import type { Room } from '../../store/room.ts';
import { settingsStamp } from '../../store/settings.ts';
import { openRoomWatcher, type RoomWatcher, type WatchHandlers } from './room-watcher.ts';

// Settings that were saved: counted once they are quiet, since editors write them in several steps, and found by a stamp
// over room.yaml and the agents' files where no event told of them.

const QUIET_MS = 200;

function createSettingsWatch(room: Room, effects: Pick<Effects, 'setTimer'>, onSaved: () => void) {
  let stamp = settingsStamp(room);
  let timer: Timer | null = null;
  function take(): void {
    stamp = settingsStamp(room);
    onSaved();
  }
  /** Something happened to one of the files. */
  function changed(): void {
    timer?.cancel();
    timer = effects.setTimer(QUIET_MS, take, true);
  }
  return {
    changed,
    /** Looks whether they were saved unseen. */
    check(): void {
      if (settingsStamp(room) !== stamp) changed();
    },
    close: (): void => timer?.cancel(),
  };
}

export interface RoomWatchHandlers extends WatchHandlers {
  /** Nothing tells of changes: looks at everything; resolves with how many task files there are. */
  onBlind(): Promise<number>;
}

// While nothing watches. A look takes some 4 µs a file.
const LOOK_EVERY_MS = 3_000;
const LOOK_REST_MS_PER_FILE = 0.05;

export function createRoomWatch(room: Room, effects: Pick<Effects, 'setTimer'>, handlers: RoomWatchHandlers) {
  let watcher: RoomWatcher | null = null;
  let blindTimer: Timer | null = null;
  const settings = createSettingsWatch(room, effects, handlers.onSettings);
  let closed = false;

  /** Watches from now on, in place of what watched before; resolves when it does, or can't. */
  async function open(): Promise<void> {
    blindTimer?.cancel();
    blindTimer = null;
    await watcher?.close();
    watcher = null;
    try {
      watcher = await openRoomWatcher(room, { ...handlers, onSettings: settings.changed, onLimit: goBlind });
    } catch (error) {
      if (!isRoomError(error, 'unavailable')) throw error;
      goBlind(error);
    }
  }

  function goBlind(error: unknown): void {
    handlers.onError(error);
    lookAgainAfter(LOOK_EVERY_MS);
  }

  // Unlike other timers this one keeps the process alive, as the watcher would.
  function lookAgainAfter(delayMs: number): void {
    if (closed) return;
    blindTimer?.cancel();
    blindTimer = effects.setTimer(delayMs, () => void tryAgain());
  }

  async function tryAgain(): Promise<void> {
    await open().catch(handlers.onError);
    try {
      // Once more when it watches again: nobody told of what was changed before.
      const files = await handlers.onBlind();
      settings.check();
      if (watcher === null) lookAgainAfter(Math.max(LOOK_EVERY_MS, files * LOOK_REST_MS_PER_FILE));
    } catch (error) {
      handlers.onError(error);
      if (watcher === null) lookAgainAfter(LOOK_EVERY_MS);
    }
  }

  return {
    open,
    /** Looks whether settings were saved unseen. */
    checkSettings: settings.check,
    async close(): Promise<void> {
      closed = true;
      settings.close();
      blindTimer?.cancel();
      await watcher?.close();
    },
  };
}
