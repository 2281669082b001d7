// A lock on a file name: an exclusive transaction on a tiny SQLite file, which the kernel frees when its holder dies,
// however it dies. `<file>.json` beside it only says who holds it.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';

/** Who holds a lock. `since` is epoch ms. */
export interface LockHolder {
  pid: number;
  host: string;
  command: string;
  since: number;
}

export interface FileLock {
  readonly holder: LockHolder;
  /** Whether the file that is locked still lies there: one that was removed or replaced locks nobody out. */
  isOurs(): boolean;
  release(): void;
}

/**
 * Takes the lock on `path` unless somebody has it.
 * @param command what the holder does, for messages: `up`, `sync`
 * @returns null when it is held
 * @throws RoomError `io`
 */
export function tryFileLock(path: string, command: string, now: number): FileLock | null {
  mkdirSync(dirname(path), { recursive: true });
  const handle = tryLock(path);
  if (handle === null) return null;
  const holder: LockHolder = { pid: process.pid, host: hostname(), command, since: now };
  writeFileSync(`${path}.json`, `${JSON.stringify(holder)}\n`);
  const taken = inodeOf(path);
  let held = true;
  const isOurs = () => held && inodeOf(path) === taken;
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

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

function tryLock(path: string): DatabaseSync | null {
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    handle.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return handle;
  } catch (error) {
    handle.close();
    if (isBusy(error)) return null;
    throw new RoomError('io', `can't lock ${path}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check permissions and free space',
    });
  }
}

/** Whether somebody holds the lock now. Takes no lock of its own for longer than a moment. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  // A shared read fails while an exclusive transaction is open, and never stands in the way of another probe.
  const handle = new DatabaseSync(path, { timeout: 0, readOnly: true });
  try {
    handle.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw new RoomError('io', `can't read ${path}: ${(error as Error).message}`, { cause: error });
  } finally {
    handle.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode as number) % 256 === 5;
}

/** Who says to hold the lock; null in the moment between taking it and saying so. */
export function readLockHolder(path: string): LockHolder | null {
  try {
    return JSON.parse(readFileSync(`${path}.json`, 'utf8')) as LockHolder;
  } catch {
    // It is written just after the lock is taken and removed just before it goes: absent or torn means "in between".
    return null;
  }
}

/** `pid 12 on box (taskroom up, since …)`. */
export function nameOfHolder(holder: LockHolder | null): string {
  if (!holder) return 'another process';
  return `pid ${holder.pid} on ${holder.host} (taskroom ${holder.command}, since ${new Date(holder.since).toISOString()})`;
}
