// A served room for each test of the file that imports it: opened before the test, closed after it.
import { afterEach, beforeEach } from 'vitest';
import { type ServedRoom, serveRoom } from './served-room.ts';

export let room: ServedRoom;
beforeEach(async () => {
  room = await serveRoom();
});
afterEach(() => room.close());
