// A room with its writer for each test of the file that imports it: opened before the test, closed after it.
import { afterEach, beforeEach } from 'vitest';
import { openWriterRoom, type WriterRoom } from './writer-room.ts';

export let rig: WriterRoom;
beforeEach(() => {
  rig = openWriterRoom();
});
afterEach(() => rig.close());
