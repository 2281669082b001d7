// Waiting for the disk: what stands in a file or a folder survives a power cut from then on. Many that wait for the same
// folder share one wait. And what the disk said, in the words of the room.
import {
  closeSync,
  constants,
  copyFileSync,
  fsync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { RoomError } from '../../core/errors.ts';

/** Only the flush is worth another thread: the rest ends in the page cache. */
const fsyncSoon = promisify(fsync);

/** Waits for the disk without standing still, and closes the file. @throws RoomError `io` about `target` */
export async function syncAndClose(fd: number, target: string): Promise<void> {
  try {
    await fsyncSoon(fd);
  } catch (error) {
    throw asIo(error, target);
  } finally {
    closeSync(fd);
  }
}

/** Makes a rename in the target's folder survive a power cut. @throws RoomError `io` */
export function syncFolder(target: string): void {
  let fd: number | null = null;
  try {
    fd = openSync(dirname(target), constants.O_RDONLY);
    fsyncSync(fd);
  } catch (error) {
    assertGrave(error, target);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** By folder: the wait that has begun, and the one that begins after it. */
const waits = new Map<string, { running: Promise<void>; next: Promise<void> | null }>();

/** The same without standing still: renames of one folder that come while another waits are waited for together. */
export function syncFolderSoon(target: string): Promise<void> {
  const folder = dirname(target);
  const known = waits.get(folder);
  if (known === undefined) return beginWait(folder, target);
  // What has begun may have missed this one.
  known.next ??= known.running.then(
    () => beginWait(folder, target),
    () => beginWait(folder, target),
  );
  return known.next;
}

function beginWait(folder: string, target: string): Promise<void> {
  const wait = { running: syncOnce(folder, target), next: null };
  waits.set(folder, wait);
  const over = () => {
    if (waits.get(folder) === wait && wait.next === null) waits.delete(folder);
  };
  wait.running.then(over, over);
  return wait.running;
}

async function syncOnce(folder: string, target: string): Promise<void> {
  try {
    await syncAndClose(openSync(folder, constants.O_RDONLY), target);
  } catch (error) {
    assertGrave(error instanceof RoomError ? error.cause : error, target);
  }
}

/** Some systems (Windows, a few network ones) can't sync a folder; the file itself is synced. */
function assertGrave(error: unknown, target: string): void {
  if (!isOneOf(error, ['EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'ENOTSUP', 'ENOENT', 'EBADF']))
    throw asIo(error, target);
}

export function isOneOf(error: unknown, codes: readonly string[]): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code !== undefined && codes.includes(code);
}

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space on that disk',
  EDQUOT: 'free some space: the quota is used up',
  EROFS: 'the disk is mounted read-only',
  EACCES: 'check the permissions of the folder',
  EPERM: 'check the permissions of the folder',
  ENOENT: 'the folder is gone; put it back',
};

export function asIo(error: unknown, path: string): RoomError {
  if (error instanceof RoomError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const hint = HINTS[code];
  return new RoomError('io', `can't write ${path}: ${(error as Error).message}`, {
    cause: error,
    ...(hint ? { hint } : {}),
  });
}

// Moving a task's file without ever overwriting a file or losing a save that comes at that moment.

/**
 * Moves `from` into the folder of `to`, under that name or, when it is taken, the name with a number. Atomic on one
 * file system; across two the copy is durable before the original goes.
 * @param check asked just before the file goes; may throw, and nothing has happened then
 * @returns the path it has now
 * @throws RoomError `not_found` when there is no such file, `io`
 */
export function moveFile(from: string, to: string, check: () => void = () => {}): string {
  try {
    mkdirSync(dirname(to), { recursive: true });
  } catch (error) {
    throw asRoomError(error, from);
  }
  const target = reserve(to, from);
  let moved = false;
  try {
    check();
    moveOver(from, target);
    moved = true;
    return target;
  } catch (error) {
    throw asRoomError(error, from);
  } finally {
    if (!moved) rmSync(target, { force: true });
  }
}

/** Takes a move back, unless something stands where the file was: then it stays where it is. */
export function moveBack(to: string, from: string): void {
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) renameSync(to, from);
}

/** Makes an empty file of a free name: from here on nobody else's file can be in the way. */
function reserve(wanted: string, from: string): string {
  const end = extname(wanted);
  const stem = join(dirname(wanted), basename(wanted, end));
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? wanted : `${stem} (${count})${end}`;
    try {
      closeSync(openSync(path, 'wx'));
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asRoomError(error, from);
    }
  }
}

function moveOver(from: string, target: string): void {
  // A link moves as what it points at: a relative one would point elsewhere from its new place.
  if (lstatSync(from).isSymbolicLink()) return copyOver(from, target);
  try {
    // Over our own empty file: whatever stands at `from` at this moment is what is moved.
    renameSync(from, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyOver(from, target);
  }
  syncFolder(target);
  syncFolder(from);
}

function copyOver(from: string, target: string): void {
  copyFileSync(from, target);
  const file = openSync(target, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(target);
  rmSync(from);
  syncFolder(from);
}

function asRoomError(error: unknown, from: string): unknown {
  if (error instanceof RoomError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT')
    return new RoomError('not_found', `${from} is gone`, { cause: error, hint: 'see: taskroom list' });
  return new RoomError('io', `can't move ${from}: ${message}`, {
    cause: error,
    hint: 'check permissions and free space',
  });
}
