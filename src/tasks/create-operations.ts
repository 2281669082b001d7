// Puts the operations together. Each is loaded when it is first asked for: a list must not pay for the parsers that
// only a change needs.

import type { BulkOperations } from './contract/bulk.ts';
import type { ChangingOperations } from './contract/changing.ts';
import type { LinkOperations } from './contract/links.ts';
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
    ...readingOperations(handle),
    ...changingOperations(handle),
    ...linkOperations(handle),
    ...bulkOperations(handle),
    ...turnOperations(handle),
  };
}

type Reading = Pick<Operations, 'list' | 'listAsJson' | 'overview' | 'show'>;

function readingOperations(handle: RoomHandle): Reading {
  return {
    list: async (filter) => (await import('./read/lists/list-tasks.ts')).listTasks(handle, filter),
    listAsJson: async (ids) => (await import('./read/lists/list-json.ts')).listAsJson(handle, ids),
    overview: async () => (await import('./read/overview.ts')).readOverview(handle),
    show: async (ref) => (await import('./read/task-detail.ts')).showTask(handle, ref),
  };
}

type Turns = Pick<Operations, 'turns' | 'turn' | 'output' | 'kill'>;

function linkOperations(handle: RoomHandle): LinkOperations {
  return {
    createSubtask: async (parent, task, actor, step) =>
      (await import('./change/subtask.ts')).createSubtask(handle, parent, task, actor, step),
  };
}

function bulkOperations(handle: RoomHandle): BulkOperations {
  const all = () => import('./bulk/change-all.ts');
  return {
    bulk: async (changes, actor) => (await import('./bulk/bulk-tasks.ts')).bulkTasks(handle, changes, actor),
    completeAll: async (filter, actor) => (await all()).completeAll(handle, filter, actor),
    removeAll: async (which, filter, actor) => (await all()).removeAll(handle, which, filter, actor),
  };
}

function turnOperations(handle: RoomHandle): Turns {
  const records = () => import('./turn-records.ts');
  return {
    turns: async (filter) => (await records()).listTurns(handle, filter),
    turn: async (ref) => (await records()).findTurn(handle, ref),
    output: async (turn, offset, limit) =>
      (await import('./turn-output.ts')).readOutput(handle, turn, offset, limit),
    kill: async (ref, actor) => (await records()).killTurn(handle, ref, actor),
  };
}

function changingOperations(handle: RoomHandle): ChangingOperations {
  const status = () => import('./change/status-change.ts');
  const removal = () => import('./change/remove-task.ts');
  return {
    create: async (task, actor) => (await import('./change/create-task.ts')).createTask(handle, task, actor),
    set: async (ref, changes, actor, options) =>
      (await import('./change/set-keys.ts')).setKeys(handle, ref, changes, actor, options),
    setStatus: async (ref, to, actor, options) => (await status()).setStatus(handle, ref, to, actor, options),
    remove: async (ref, actor) => (await removal()).removeTask(handle, ref, actor),
  };
}
