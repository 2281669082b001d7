// A room with a mirror for each test of the file that imports it: made before the test, closed with all its processes after it.
import { forEachTest, partOf } from '../support/for-each-test.ts';
import { createMirrorRoom } from './mirror-room.ts';

export const mirror = forEachTest(() => createMirrorRoom());
export const room = partOf(mirror, 'room');
