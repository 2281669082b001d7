// A room for each test of the file that imports it: opened before the test, closed after it.
import { forEachTest } from '../support/for-each-test.ts';
import { openTestRoom } from './test-room.ts';

export const rig = forEachTest(() => openTestRoom(agents));
let agents: Record<string, object> = {};

/** The rooms of this file have these agents too. */
export function withAgents(more: Record<string, object>): void {
  agents = more;
}
