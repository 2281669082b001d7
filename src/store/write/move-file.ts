// Moving a task's file without ever overwriting a file or losing a save that comes at that moment.
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { syncFolder } from './sync-files.ts';

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
