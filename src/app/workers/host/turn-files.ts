// Files that go between host and worker in pieces: appended from the byte that is there, read from a byte on.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { onDisk } from '../../../store/room.ts';

/**
 * Appends what is new in a piece of a file.
 * @returns the size of the file now
 * @throws RoomError `io`
 */
export function appendAt(path: string, offset: number, data: Uint8Array): number {
  return onDisk(path, () => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // What lies before was not sent yet, or the piece was applied before.
    if (offset > size || offset + data.length <= size) return size;
    try {
      appendFileSync(path, data.subarray(size - offset), { mode: 0o600 });
    } catch (error) {
      // Half a piece would be in the way of the whole.
      if (existsSync(path)) truncateSync(path, size);
      throw error;
    }
    return offset + data.length;
  });
}

/** A piece of a file from a byte on. @throws RoomError `io` */
export function readAt(path: string, offset: number, most: number): { size: number; data: Buffer } {
  return onDisk(path, () => {
    const file = openSync(path, 'r');
    try {
      const buffer = Buffer.alloc(most);
      const { size } = fstatSync(file);
      return { size, data: buffer.subarray(0, readSync(file, buffer, 0, most, offset)) };
    } finally {
      closeSync(file);
    }
  });
}
