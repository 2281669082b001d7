// A room for each test of the file that imports it: opened before the test, closed after it.
import { afterEach, beforeEach } from 'vitest';
import { openTestRoom, type TestRoom } from './test-room.ts';

export let rig: TestRoom;
beforeEach(() => {
  rig = openTestRoom();
});
afterEach(() => rig.close());
