// What the machine of a room does for its person beside tasks, chores and mirrors, also where they sit at another one: tokens,
// workers, a look for what is wrong, and task files as an editor has them.
import type { RoomConfig } from '../core/config/room-config.ts';
import type { Problem } from '../core/errors.ts';
import type { Client } from '../operations/client.ts';
import type { LockHolder } from '../store/lock/room-lock.ts';
import { type FileEdit, type FileText, readFileText, saveFileText } from '../tasks/change/file-text.ts';
import type { Finding } from '../tasks/doctor/findings.ts';
import type { RoomHandle } from '../tasks/room-handle.ts';
import type { Actor } from '../tasks/task-room.ts';
import type { WorkerView } from './dispatch/worker-views.ts';
import type { TokenOperations } from './token-operations.ts';

export interface HostOperations {
  readonly tokens: TokenOperations;
  /** The workers on other machines that were seen within a day, and what each has. */
  workers(): Promise<WorkerView[]>;
  /** Every check of the room, in the order of reading; runs the agents' own programs. @throws RoomError */
  examine(): Promise<Finding[]>;
  /** Where an editor here opens a task file, absolute; null where the room is on another machine. */
  placeOf(path: string): string | null;
  /** @throws RoomError `not_found`, `bad_input`, `invalid_file`, `io` */
  readFile(path: string): Promise<FileText>;
  /** @throws RoomError `conflict` while the file says something else than what was read, and as `readFile` */
  saveFile(path: string, edit: FileEdit, actor: Actor): Promise<{ changed: boolean }>;
}

/** What the looks need to know of the room that runs. */
export interface RoomNow {
  tasks: Client;
  problems(): readonly Problem[];
  holder(): LockHolder | null;
  trouble(): { message: string; hint: string | null }[];
}

export async function createHostOperations(handle: RoomHandle, now: RoomNow): Promise<HostOperations> {
  const { deps } = handle;
  const { createTokenOperations } = await import('./token-operations.ts');
  return {
    tokens: createTokenOperations(deps, now.tasks),
    workers: async () => (await import('./dispatch/worker-views.ts')).readWorkers(deps),
    examine: () => examine(handle, now),
    placeOf: (path) => deps.room.at(path),
    readFile: (path) => readFileText(deps, path),
    saveFile: (path, edit, actor) => saveFileText(handle, path, edit, actor),
  };
}

async function examine(handle: RoomHandle, now: RoomNow): Promise<Finding[]> {
  const { deps } = handle;
  const { room, ledger, effects, agents } = deps;
  const config = (): RoomConfig => deps.config();
  const isQueued = config().queue.postgres !== null;
  const { listPlans } = await import('../tasks/plans/read-plans.ts');
  const { examineRoom } = await import('../tasks/doctor/doctor.ts');
  const { checkAgents, examineAgents } = await import('./check-agents.ts');
  const exam = {
    ...{ room, ledger, agents, config, ...now },
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
