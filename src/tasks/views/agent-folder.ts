// Where an agent works: a coding agent or a model without `cwd` in a folder of its thread outside the room, others in the room.
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { isModelled } from '../../core/config/agent-env.ts';
import { valueOr } from '../../core/errors.ts';
import type { ThreadId } from '../../core/ids.ts';
import { keepRoomId, readRoomId } from '../../store/files/room-id.ts';
import { onDisk } from '../../store/room.ts';
import type { TaskRoom } from '../task-room.ts';

type Place = Pick<TaskRoom, 'room' | 'ledger' | 'effects'>;

/** The agent with the folder that it works in on this thread, made where it is its own. @throws RoomError `io` */
export function atWork(deps: Place, agent: AgentConfig, thread: ThreadId): AgentConfig {
  if (agent.cwd !== null || agent.workspace !== null || !isModelled(agent)) return agent;
  const cwd = join(ownFolders(deps, keepRoomId(deps.room, deps.ledger, deps.effects)), nameOf(thread));
  onDisk(cwd, () => mkdirSync(cwd, { recursive: true, mode: 0o700 }));
  return { ...agent, cwd };
}

/** Absolute path of that folder; makes nothing. */
export function folderOf(deps: Place, agent: AgentConfig | undefined, thread: ThreadId): string {
  if (agent === undefined || agent.cwd !== null || agent.workspace !== null || !isModelled(agent))
    return resolve(deps.room.dir, agent?.cwd ?? '.');
  return join(ownFolders(deps, readRoomId(deps.room, deps.ledger) ?? 'room'), nameOf(thread));
}

/** Removes the folders that hold nothing. Those with files stay: nobody else has them. Returns the paths of these. */
export function tidyOwnFolders(deps: Place, isInUse: (name: string) => boolean): string[] {
  const id = readRoomId(deps.room, deps.ledger);
  if (id === null) return [];
  const root = ownFolders(deps, id);
  return listOrNothing(root).flatMap((name) => {
    const path = join(root, name);
    if (listOrNothing(path).length > 0) return [path];
    // Something may come into it just now: then it stays.
    if (!isInUse(name)) valueOr(undefined, () => rmdirSync(path));
    return [];
  });
}

export const nameOf = (thread: ThreadId): string => thread.replace(/[^\w.-]+/g, '-');

function ownFolders({ effects }: Pick<TaskRoom, 'effects'>, roomId: string): string {
  const { XDG_STATE_HOME, HOME } = effects.env;
  return join(XDG_STATE_HOME || join(HOME || homedir(), '.local/state'), 'taskroom/folders', roomId);
}

function listOrNothing(dir: string): string[] {
  // Absent, or a file that somebody put there.
  return valueOr([], () => readdirSync(dir));
}
