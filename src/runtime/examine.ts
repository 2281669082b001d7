// The look of a doctor at a room: every check of every layer, put together.
import type { Finding, RoomHandle } from '../tasks/room-handle.ts';

/** Every check of the room, in the order of reading; runs the agents' own programs. @throws RoomError */
export async function examine(handle: RoomHandle): Promise<Finding[]> {
  const { deps } = handle;
  const { room, ledger, effects, agents } = deps;
  const { config } = deps;
  const isQueued = config().queue.postgres !== null;
  const { listPlans } = await import('../tasks/plans/artifact-file.ts');
  const { findTasks } = await import('../tasks/read/list.ts');
  const { showTask } = await import('../tasks/read/task-detail.ts');
  const { examineRoom } = await import('../tasks/doctor/doctor.ts');
  const { checkAgents, examineAgents } = await import('./check-agents.ts');
  const exam = {
    ...{ room, ledger, agents, config, ...handle.ports.standing!() },
    list: () => findTasks(handle),
    show: (ref: string) => showTask(handle, ref),
    plans: () => listPlans(handle),
    checkAgents: () => checkAgents(deps),
    examineAgents: () => examineAgents(deps),
    checkMirrors: async () => (await import('./check-mirrors.ts')).checkMirrors(deps),
    checkWorkspaces: async () => (await import('./workspaces/check-workspaces.ts')).checkWorkspaces(deps),
    examineQueue: async () =>
      isQueued ? (await import('./dispatch/examine-queue.ts')).examineQueue(deps) : [],
  };
  return examineRoom(exam, effects);
}
