// Whether this process was started inside a turn of a room: its own environment tells, or that of a process above it or of its session's
// first one, so that a shell which lost the variables is not taken for a person's.
import { realpathSync } from 'node:fs';
import { readAncestors, readEnvironment, readSessionLeader } from '../agents/process/proc-files.ts';
import { RoomError, valueOr } from '../core/errors.ts';
import type { Effects } from '../effects.ts';

type Env = Effects['env'];

/** The folder of the bridge of the turn that this process belongs to, which may be gone; null for a person. Without /proc only the own
 * environment tells.
 * @param dir the room
 * @throws RoomError `not_allowed` for a process of a turn that is not its agent's, such as its checks */
export function bridgeOfCaller(dir: string, { env }: Pick<Effects, 'env'>): string | null {
  const room = realOf(dir);
  const isHere = !env.AGENT_ROOM || realOf(env.AGENT_ROOM) === room;
  let turn: string | null = null;
  for (const around of environments(isHere ? { ...env, AGENT_ROOM: room } : {})) {
    if (around.AGENT_ROOM !== room || !around.TASKROOM_TURN) continue;
    if (around.TASKROOM_BRIDGE) return around.TASKROOM_BRIDGE;
    turn ??= around.TASKROOM_TURN;
  }
  if (turn === null) return null;
  const why = `this runs beside turn ${turn}, as its checks and hooks do: it can't use the room`;
  throw new RoomError('not_allowed', why);
}

/** The bridge that the nearest environment names; null where none does. */
export function bridgeAround(env: Env): string | null {
  for (const { TASKROOM_BRIDGE } of environments(env)) if (TASKROOM_BRIDGE) return TASKROOM_BRIDGE;
  return null;
}

function* environments(own: Env): Generator<Env> {
  yield own;
  const leader = readSessionLeader(process.pid);
  for (const pid of [...readAncestors(process.pid), ...(leader === null ? [] : [leader])])
    yield Object.fromEntries(
      readEnvironment(pid).map((entry) => [entry.split('=', 1)[0], entry.slice(entry.indexOf('=') + 1)]),
    );
}

function realOf(dir: string): string {
  // Opening it says what is wrong with it.
  return valueOr(dir, () => realpathSync(dir));
}
