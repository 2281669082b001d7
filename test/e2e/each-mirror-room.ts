// A room with a mirror for each test of the file that imports it: made before the test, closed with all its processes after it.
import { afterEach, beforeEach } from 'vitest';
import { createMirrorRoom, type MirrorRoom } from './mirror-room.ts';

export let mirror: MirrorRoom;
beforeEach(async () => {
  mirror = await createMirrorRoom();
});
afterEach(() => mirror.close());
