// Moving a task's file without ever overwriting a file or losing a save that comes at that moment; and the overflow, old entries
// that left their task's file.
import fs from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { hasCode, RoomError } from '../../core/errors.ts';
import type { Overflow } from '../../core/task/overflow.ts';
import { asIo, onDisk, type Room } from '../room.ts';
import { syncFolder } from './replace-file.ts';

/** Moves `from` into the folder of `to`, under that name or, when it is taken, the name with a number. Atomic on one
 * file system; across two the copy is durable before the original goes.
 * @param check asked just before the file goes; may throw, and nothing has happened then
 * @returns the path it has now
 * @throws RoomError `not_found` when there is no such file, `io` */
export function moveFile(from: string, to: string, check: () => void = () => {}): string {
  let reserved: string | null = null;
  try {
    fs.mkdirSync(dirname(to), { recursive: true });
    const target = reserve(to);
    reserved = target;
    check();
    moveOver(from, target);
    // From here on it is the file itself: nothing that follows may remove it.
    reserved = null;
    syncFolder(target);
    syncFolder(from);
    return target;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw asIo(error, from, 'move');
    throw new RoomError('not_found', `${from} is gone`, { cause: error, hint: 'see: taskroom list' });
  } finally {
    if (reserved !== null) fs.rmSync(reserved, { force: true });
  }
}

/** Takes a move back, unless something stands where the file was: then it stays where it is. */
export function moveBack(to: string, from: string): void {
  if (fs.lstatSync(from, { throwIfNoEntry: false }) === undefined) fs.renameSync(to, from);
}

/** Makes an empty file of a free name: from here on nobody else's file can be in the way. */
function reserve(wanted: string): string {
  const end = extname(wanted);
  const stem = join(dirname(wanted), basename(wanted, end));
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? wanted : `${stem} (${count})${end}`;
    try {
      fs.closeSync(fs.openSync(path, 'wx'));
      return path;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

function moveOver(from: string, target: string): void {
  // A link moves as what it points at: a relative one would point elsewhere from its new place.
  if (!fs.lstatSync(from).isSymbolicLink()) {
    try {
      // Over our own empty file: whatever stands at `from` at this moment is what is moved.
      return fs.renameSync(from, target);
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw error;
    }
  }
  fs.copyFileSync(from, target);
  fs.writeFileSync(target, '', { flag: 'a', flush: true });
  syncFolder(target);
  fs.rmSync(from);
}

const GAP = '\n\n';

/** Appends the blocks, durably. What the file's end already holds of them, because the write that followed the
 * last append came to nothing, is not appended again. Throws RoomError `io`. */
export function appendOverflow(room: Room, { path, blocks }: Overflow): void {
  onDisk(path, () => {
    fs.mkdirSync(dirname(room.at(path)), { recursive: true });
    const fd = fs.openSync(room.at(path), 'a+');
    try {
      const more = missingPart(fd, blocks);
      if (more.length > 0) fs.writeSync(fd, more.map((block) => block + GAP).join(''));
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  });
}

/** The blocks without the longest run of first ones that the file ends with. */
function missingPart(fd: number, blocks: readonly string[]): readonly string[] {
  const whole = blocks.join(GAP) + GAP;
  const size = fs.fstatSync(fd).size;
  const tail = Buffer.alloc(Math.min(size, Buffer.byteLength(whole)));
  fs.readSync(fd, tail, 0, tail.length, size - tail.length);
  const end = tail.toString('utf8');
  let length = whole.length;
  for (let count = blocks.length; count > 0; count -= 1) {
    if (end.endsWith(whole.slice(0, length))) return blocks.slice(count);
    length -= blocks[count - 1]!.length + GAP.length;
  }
  return blocks;
}
