// A served room for each test of the file that imports it: opened before the test, closed after it.
import { forEachTest } from '../support/for-each-test.ts';
import { serveRoom } from './served-room.ts';

export const room = forEachTest(() => serveRoom());
