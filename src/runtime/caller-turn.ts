// Whether this process was started inside a turn of a room: by its own environment, or by that of a process it descends
// from or of its session's first one, so that a shell which lost the variables is still told from a person's.
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import { readAncestors, readEnvironment, readSessionLeader } from '../runners/process/proc-files.ts';

/**
 * The bridge of the turn that this process belongs to; null for a person. Where there is no /proc the own environment
 * alone tells.
 * @param dir the room
 * @returns absolute path of the bridge's folder, which may be gone
 * @throws RoomError `not_allowed` for an environment that names no turn there could be
 */
export function bridgeOfCaller(dir: string, { env }: Pick<Effects, 'env'>): string | null {
  const room = realOf(dir);
  const turn = turnOfCaller(room, env);
  if (turn === null) return null;
  if (!/^[0-9A-Za-z]+$/.test(turn))
    throw new RoomError('not_allowed', `${JSON.stringify(turn)} in TASKROOM_TURN is no turn of this room`);
  return join(room, '.taskroom', 'turns', turn, 'bridge');
}

const TURN = 'TASKROOM_TURN=';

function turnOfCaller(room: string, env: Effects['env']): string | null {
  const isHere = !env.AGENT_ROOM || realOf(env.AGENT_ROOM) === room;
  if (env.TASKROOM_TURN && isHere) return env.TASKROOM_TURN;
  const leader = readSessionLeader(process.pid);
  const ancestors = readAncestors(process.pid);
  for (const pid of leader === null ? ancestors : [...ancestors, leader]) {
    const entries = readEnvironment(pid);
    if (!entries.includes(`AGENT_ROOM=${room}`)) continue;
    const turn = entries.find((entry) => entry.startsWith(TURN));
    if (turn !== undefined) return turn.slice(TURN.length);
  }
  return null;
}

function realOf(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    // Opening it says what is wrong with it.
    return dir;
  }
}
