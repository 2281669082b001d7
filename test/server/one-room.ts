// One served room for all tests of the file that imports it.
import { afterAll, beforeAll } from 'vitest';
import { type ServedRoom, serveRoom } from './served-room.ts';

export let room: ServedRoom;
beforeAll(async () => {
  room = await serveRoom();
});
afterAll(() => room.close());
