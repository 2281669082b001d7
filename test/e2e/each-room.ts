// A room for each test of the file that imports it: made before the test, closed with all its processes after it.
import { forEachTest } from '../support/for-each-test.ts';
import { createRoom } from './room.ts';

export const room = forEachTest(() => createRoom());
