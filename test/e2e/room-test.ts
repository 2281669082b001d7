// `test` with a room of its own: made before each case, closed with every process in it after it.
import { test as base } from 'vitest';
import { createRoom, type E2eRoom, SETTINGS } from './room.ts';

/** @param settings lines of room.yaml beside the usual ones */
export function testInRoom(...settings: string[]) {
  return base.extend<{ room: E2eRoom }>({
    room: async ({ task: _ }, use) => {
      const room = await createRoom();
      if (settings.length > 0) room.settings(...SETTINGS, ...settings);
      await use(room);
      await room.close();
    },
  });
}
