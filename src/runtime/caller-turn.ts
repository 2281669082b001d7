// Whether this process was started inside a turn of a room: by its own environment, or by that of a process it descends
// from, so that a shell which lost the variables is still told from a person's.
import type { Effects } from '../effects.ts';
import { readAncestors, readEnvironment } from '../runners/process/terminate.ts';
import type { Room } from '../store/room.ts';

/** The turn, or null for a person. Where there is no /proc the own environment alone tells. */
export function turnOfCaller(room: Room, { env }: Pick<Effects, 'env'>): string | null {
  if (env.TASKROOM_TURN && env.AGENT_ROOM === room.dir) return env.TASKROOM_TURN;
  for (const pid of readAncestors(process.pid)) {
    const entries = readEnvironment(pid);
    if (!entries.includes(`AGENT_ROOM=${room.dir}`)) continue;
    const turn = entries.find((entry) => entry.startsWith(TURN));
    if (turn !== undefined) return turn.slice(TURN.length);
  }
  return null;
}

const TURN = 'TASKROOM_TURN=';
