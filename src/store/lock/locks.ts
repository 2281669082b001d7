// A lock on a file name: an exclusive transaction on a tiny SQLite file, which the kernel frees when its holder dies,
// however it dies. `<file>.json` beside it only says who holds it.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RoomError, valueOr } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { sqliteCode } from '../ledger/sqlite-file.ts';
import { asIo, type Room } from '../room.ts';

const BUSY = 5; // SQLite's result code.

/** Who holds a lock. `since` is epoch ms. */
export interface LockHolder {
  pid: number;
  host: string;
  command: string; // What the holder does, for messages: `up`, `once`, `sync`.
  since: number;
}

export interface FileLock {
  readonly holder: LockHolder;
  /** Whether the file that is locked still lies there: one that was removed or replaced locks nobody out. */
  isOurs(): boolean;
  release(): void;
}

/** Takes the lock on `path`; null when somebody has it. Throws RoomError `io`. */
export function tryFileLock(path: string, command: string, now: number): FileLock | null {
  mkdirSync(dirname(path), { recursive: true });
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    handle.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    handle.close();
    if (sqliteCode(error) === BUSY) return null;
    throw asIo(error, path, 'lock');
  }
  const holder: LockHolder = { pid: process.pid, host: hostname(), command, since: now };
  writeFileSync(`${path}.json`, `${JSON.stringify(holder)}\n`);
  const inodeOf = () => statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
  const taken = inodeOf();
  let held = true;
  const isOurs = () => held && inodeOf() === taken;
  return {
    holder,
    isOurs,
    release() {
      if (!held) return;
      // Once the file is another's, so is what stands beside it.
      if (isOurs()) rmSync(`${path}.json`, { force: true });
      held = false;
      handle.close();
    },
  };
}

/** Whether somebody holds the lock now: a shared read fails then, and never stands in the way of another probe. */
function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const handle = new DatabaseSync(path, { timeout: 0, readOnly: true });
  try {
    handle.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (sqliteCode(error) === BUSY) return true;
    throw asIo(error, path, 'read');
  } finally {
    handle.close();
  }
}

/** Who says to hold the lock; null in the moment between taking it and saying so. */
function readLockHolder(path: string): LockHolder | null {
  // It is written just after the lock is taken and removed just before it goes: absent or torn means "in between".
  return valueOr(null, () => JSON.parse(readFileSync(`${path}.json`, 'utf8')) as LockHolder);
}

/** `pid 12 on box (taskroom up, since …)`. */
function nameOfHolder(holder: LockHolder | null): string {
  if (!holder) return 'another process';
  return `pid ${holder.pid} on ${holder.host} (taskroom ${holder.command}, since ${new Date(holder.since).toISOString()})`;
}

const lockPath = (room: Room) => join(room.ownDir, 'lock');

/** Takes the room's lock, which its one daemon holds from start to end. Throws RoomError `locked` that says who holds it. */
export function takeLock(room: Room, command: string, now: number): FileLock {
  const path = lockPath(room);
  const lock = tryFileLock(path, command, now);
  if (lock) return lock;
  const message = `the room ${room.dir} is held by ${nameOfHolder(readLockHolder(path))}`;
  throw new RoomError('locked', message, `stop it first: taskroom stop --room ${room.dir}`);
}

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

interface LockWait {
  effects: Effects;
  signal?: AbortSignal;
  waitMs: number; // 0 does not wait.
  onWait?: (who: string) => void; // Called once, when it has to wait.
}

const LOOK_MS = 100;

/** Takes the lock of a chore's source: of all processes one syncs it at a time. Throws as {@link waitForLock}. */
export function takeSourceLock(room: Room, chore: string, wait: LockWait): Promise<FileLock> {
  const path = join(room.ownDir, 'sync', `${chore}.lock`);
  return waitForLock(path, 'sync', `${chore} is being synced`, wait);
}

/** Waits until whoever has it lets it go. @param doing what that one does. @throws RoomError `locked`, `interrupted`, `io` */
export async function waitForLock(
  path: string,
  command: string,
  doing: string,
  { effects, signal, waitMs, onWait }: LockWait,
): Promise<FileLock> {
  const giveUpAt = effects.monotonicMs() + waitMs;
  for (let told = false; ; told = true) {
    if (signal?.aborted) throw new RoomError('interrupted', `the ${command} was stopped`);
    const lock = tryFileLock(path, command, effects.now());
    if (lock) return lock;
    const who = nameOfHolder(readLockHolder(path));
    const hint = 'wait until it is done, or stop that process';
    if (effects.monotonicMs() >= giveUpAt)
      throw new RoomError('locked', `${doing} by ${who}`, { hint, retryAfterMs: 1_000 });
    if (!told) onWait?.(who);
    await sleep(effects, LOOK_MS, signal);
  }
}
