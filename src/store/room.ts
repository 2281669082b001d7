// A room: the folder and the names of everything in it. Paths handed around are relative, with forward slashes.
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Env } from '../core/config/agent-env.ts';
import { hasCode, RoomError } from '../core/errors.ts';

/** `dir` is absolute, symlinks resolved. `ownDir` is `.taskroom/`, ours alone. */
export type Room = ReturnType<typeof openRoom>;

/** Throws RoomError `no_room` when there is no folder, or no room in it. */
export function openRoom(dir: string) {
  const absolute = resolve(dir);
  const refusal = (why: string, hint = `run: taskroom init ${dir}`) =>
    new RoomError('no_room', `${absolute} ${why}`, { hint });
  if (!existsSync(absolute)) throw refusal('is not there');
  if (!statSync(absolute).isDirectory()) throw refusal('is a file', 'name the folder of a room');
  const real = realpathSync(absolute);
  if (!existsSync(join(real, 'room.yaml')) && !existsSync(join(real, 'tasks')))
    throw refusal('holds no room.yaml and no tasks folder');
  const at = (relative: string) => join(real, relative);
  return {
    dir: real,
    tasksDir: at('tasks'),
    archiveDir: at('archive'),
    agentsDir: at('agents'),
    choresDir: at('chores'),
    ownDir: at('.taskroom'),
    ledgerPath: at('.taskroom/ledger.db'),
    turnsDir: at('.taskroom/turns'),
    trashDir: at('.taskroom/attic'), // The trash: texts that lost, and files that were taken away.
    overflowDir: at('.taskroom/spill'), // Old entries that left their task's file.
    historyPath: at('history.jsonl'),
    /** Touched to make a running daemon look at the ledger; alone in its folder, so that watching it costs nothing. */
    wakePath: at('.taskroom/wake/bell'),
    at,
  };
}

/** A path as the ledger holds it: relative where it is inside the room, so that a room may move. */
export function roomPathOf(room: Room, absolute: string): string {
  const inside = relative(room.dir, absolute);
  return inside.startsWith('..') || isAbsolute(inside) ? absolute : inside.split(sep).join('/');
}

/** `option` (--room), else `AGENT_ROOM`, else the nearest folder upward with a `room.yaml`. @throws RoomError `no_room` */
export function findRoom(option: string | null, env: Env, cwd: string): string {
  if (option) return resolve(cwd, option);
  if (env.AGENT_ROOM) return resolve(cwd, env.AGENT_ROOM);
  for (let at = resolve(cwd); ; at = dirname(at)) {
    if (existsSync(join(at, 'room.yaml'))) return at;
    if (dirname(at) === at) break;
  }
  const hint = 'give --room DIR, set AGENT_ROOM, or make one: taskroom init DIR';
  throw new RoomError('no_room', `no room.yaml in ${cwd} or any folder above it`, hint);
}

const OURS_ALONE = 0o700;
const OTHERS = 0o007;

/** Makes `.taskroom/`, and closes one that is open to everybody: what stands in it is at times more private than any file of the
 * room. What a person opened to a group, and to nobody else, stays so: agents that run as another user need it. */
export function secureOwnFolder({ ownDir }: Room): void {
  mkdirSync(ownDir, { recursive: true, mode: OURS_ALONE });
  if ((statSync(ownDir).mode & OTHERS) === 0) return;
  try {
    chmodSync(ownDir, OURS_ALONE);
  } catch (error) {
    // Another user's folder, which it is for that one to close.
    if (!hasCode(error, 'EPERM')) throw error;
  }
}

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space on that disk',
  EDQUOT: 'free some space: the quota is used up',
  EROFS: 'the disk is mounted read-only',
  EACCES: 'check the permissions of the folder',
  EPERM: 'check the permissions of the folder',
  ENOENT: 'the folder is gone; put it back',
};

/** What the system refused at `path` as RoomError `io`; any other error as it is. `doing`: `write`, `read`, `move`. */
export function asIo(error: unknown, path: string, doing = 'write'): unknown {
  if (error instanceof RoomError || typeof (error as NodeJS.ErrnoException | null)?.code !== 'string')
    return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const hint = HINTS[code!] ?? 'check free space and permissions';
  return new RoomError('io', `can't ${doing} ${path}: ${message}`, { cause: error, hint });
}

/** Runs what works at `path`. Throws as {@link asIo}. */
export function onDisk<T>(path: string, run: () => T, doing = 'write'): T {
  try {
    return run();
  } catch (error) {
    throw asIo(error, path, doing);
  }
}
