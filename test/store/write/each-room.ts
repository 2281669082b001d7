// A room with its writer for each test of the file that imports it: opened before the test, closed after it.
import { forEachTest } from '../../support/for-each-test.ts';
import { openWriterRoom } from './writer-room.ts';

export const rig = forEachTest(() => openWriterRoom());
