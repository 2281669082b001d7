// One served room for all tests of the file that imports it.
import { forAllTests } from '../support/for-each-test.ts';
import { serveRoom } from './served-room.ts';

export const room = forAllTests(() => serveRoom());
