// A room for each test of the file that imports it: opened before the test, closed after it.
import { afterEach, beforeEach } from 'vitest';
import { openTestRoom, type TestRoom } from './test-room.ts';

export let rig: TestRoom;
let agents: Record<string, object> = {};

/** The rooms of this file have these agents too. */
export function withAgents(more: Record<string, object>): void {
  agents = more;
}

beforeEach(() => {
  rig = openTestRoom(agents);
});
afterEach(() => rig.close());
