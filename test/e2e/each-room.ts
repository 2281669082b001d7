// A room for each test of the file that imports it: made before the test, closed with all its processes after it.
import { afterEach, beforeEach } from 'vitest';
import { createRoom, type E2eRoom } from './room.ts';

export let room: E2eRoom;
beforeEach(async () => {
  room = await createRoom();
});
afterEach(() => room.close());
