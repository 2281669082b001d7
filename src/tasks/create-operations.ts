// Puts the operations together. Each is loaded when it is first asked for: a list must not pay for the parsers that
// only a change needs.

import type { Operations } from './contract/operations.ts';
import type { OperationPorts, RoomHandle } from './room-handle.ts';
import type { TaskRoom } from './task-room.ts';

/**
 * The operations on a room's tasks.
 * @param ports what they need of daemons and processes
 */
export function createOperations(deps: TaskRoom, ports: OperationPorts): Operations {
  const handle: RoomHandle = { deps, ports };
  return {
    list: async (filter) => (await import('./read/lists/list-tasks.ts')).listTasks(handle, filter),
    listAsJson: async (ids) => (await import('./read/lists/list-json.ts')).listAsJson(handle, ids),
    overview: async () => (await import('./read/overview.ts')).readOverview(handle),
  };
}
