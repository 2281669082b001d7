// One daemon a room. The lock is an exclusive transaction on a tiny SQLite file: the kernel frees it when its
// holder dies, however it dies. lock.json beside it only says who holds it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../core/errors.ts';
import type { Room } from './room.ts';

/** Who holds a room. `since` is epoch ms. */
export interface LockHolder {
  pid: number;
  host: string;
  command: string;
  since: number;
}

export interface RoomLock {
  release(): void;
}

/**
 * Takes the room's lock.
 * @param command what the holder does, for messages: `up`, `once`
 * @throws RoomError `locked` that says who holds it
 */
export function takeLock(room: Room, command: string, now: number): RoomLock {
  mkdirSync(room.ownDir, { recursive: true });
  const handle = tryLock(room);
  if (!handle) {
    const holder = readHolder(room);
    const who = holder
      ? `pid ${holder.pid} on ${holder.host} (taskroom ${holder.command}, since ${new Date(holder.since).toISOString()})`
      : 'another process';
    throw new RoomError('locked', `the room ${room.dir} is held by ${who}`, {
      hint: `stop it first: taskroom stop --room ${room.dir}`,
    });
  }
  const holder: LockHolder = { pid: process.pid, host: hostname(), command, since: now };
  const jsonPath = join(room.ownDir, 'lock.json');
  writeFileSync(jsonPath, `${JSON.stringify(holder)}\n`);
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      rmSync(jsonPath, { force: true });
      handle.close();
    },
  };
}

function tryLock(room: Room): DatabaseSync | null {
  const handle = new DatabaseSync(join(room.ownDir, 'lock'), { timeout: 0 });
  try {
    handle.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return handle;
  } catch (error) {
    handle.close();
    if (error instanceof Error && 'errcode' in error && (error.errcode as number) % 256 === 5) return null;
    throw new RoomError('io', `can't lock ${room.ownDir}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check permissions and free space',
    });
  }
}

/** The daemon that holds the room now, or null when none does. Takes no lock of its own for longer than a moment. */
export function currentHolder(room: Room): LockHolder | null {
  if (!existsSync(join(room.ownDir, 'lock'))) return null;
  let handle: DatabaseSync | null = null;
  try {
    handle = tryProbe(room);
  } catch (error) {
    if (error instanceof RoomError) return null;
    throw error;
  }
  if (handle) {
    handle.close();
    return null;
  }
  return readHolder(room) ?? { pid: 0, host: hostname(), command: 'up', since: 0 };
}

// A shared read fails while an exclusive transaction is open, and never stands in the way of another probe.
function tryProbe(room: Room): DatabaseSync | null {
  const handle = new DatabaseSync(join(room.ownDir, 'lock'), { timeout: 0, readOnly: true });
  try {
    handle.prepare('SELECT count(*) FROM sqlite_master').get();
    return handle;
  } catch (error) {
    handle.close();
    if (error instanceof Error && 'errcode' in error && (error.errcode as number) % 256 === 5) return null;
    throw new RoomError('io', `can't read ${room.ownDir}/lock: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function readHolder(room: Room): LockHolder | null {
  try {
    return JSON.parse(readFileSync(join(room.ownDir, 'lock.json'), 'utf8')) as LockHolder;
  } catch {
    // It is written just after the lock is taken and removed just before it goes: absent or torn means "in between".
    return null;
  }
}
