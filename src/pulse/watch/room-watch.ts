// The room's watcher while the loop runs: opened, opened anew after the room was away, and closed. Settings count once
// they are quiet.
import type { Effects, Timer } from '../../effects.ts';
import type { Room } from '../../store/room.ts';
import { openRoomWatcher, type RoomWatcher, type WatchHandlers } from './room-watcher.ts';

export interface RoomWatch {
  /** Watches from now on, in place of what watched before; resolves when it does. */
  open(): Promise<void>;
  close(): Promise<void>;
}

// Editors write settings in several steps.
const SETTINGS_QUIET_MS = 200;

export function createRoomWatch(
  room: Room,
  effects: Pick<Effects, 'setTimer'>,
  handlers: WatchHandlers,
): RoomWatch {
  let watcher: RoomWatcher | null = null;
  let settingsTimer: Timer | null = null;

  function onSettings(): void {
    settingsTimer?.cancel();
    settingsTimer = effects.setTimer(SETTINGS_QUIET_MS, handlers.onSettings, true);
  }

  return {
    async open() {
      await watcher?.close();
      watcher = await openRoomWatcher(room, { ...handlers, onSettings });
    },
    async close() {
      settingsTimer?.cancel();
      await watcher?.close();
    },
  };
}
