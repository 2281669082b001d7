// One daemon a room: `.taskroom/lock` is held from start to end, and freed by the kernel when its holder dies.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import type { Room } from '../room.ts';
import {
  type FileLock,
  isFileLocked,
  type LockHolder,
  nameOfHolder,
  readLockHolder,
  tryFileLock,
} from './file-lock.ts';

export type { LockHolder } from './file-lock.ts';

export type RoomLock = FileLock;

/**
 * Takes the room's lock.
 * @param command what the holder does, for messages: `up`, `once`
 * @throws RoomError `locked` that says who holds it
 */
export function takeLock(room: Room, command: string, now: number): RoomLock {
  const path = lockPath(room);
  const lock = tryFileLock(path, command, now);
  if (lock) return lock;
  throw new RoomError('locked', `the room ${room.dir} is held by ${nameOfHolder(readLockHolder(path))}`, {
    hint: `stop it first: taskroom stop --room ${room.dir}`,
  });
}

/** The daemon that holds the room now, or null when none does. */
export function currentHolder(room: Room): LockHolder | null {
  const path = lockPath(room);
  try {
    if (!isFileLocked(path)) return null;
  } catch (error) {
    if (error instanceof RoomError) return null;
    throw error;
  }
  return readLockHolder(path) ?? { pid: 0, host: hostname(), command: 'up', since: 0 };
}

function lockPath(room: Room): string {
  return join(room.ownDir, 'lock');
}
