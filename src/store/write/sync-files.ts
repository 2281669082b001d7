// Waiting for the disk: what stands in a file or a folder survives a power cut from then on. Many that wait for the same
// folder share one wait. And what the disk said, in the words of the room.
import { closeSync, constants, fsync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
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

/** What the disk said, as RoomError `io`. */
export function asIo(error: unknown, path: string): RoomError {
  if (error instanceof RoomError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const hint = HINTS[code];
  return new RoomError('io', `can't write ${path}: ${(error as Error).message}`, {
    cause: error,
    ...(hint ? { hint } : {}),
  });
}
