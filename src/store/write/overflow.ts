// The files in .taskroom/spill: old entries that left their task's file, appended before they leave it.
import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Spill } from '../../core/task/spill.ts';
import { onDisk, type Room } from '../room.ts';

const GAP = '\n\n';

/**
 * Appends the blocks, durably. What the file's end already holds of them, because the write that followed the
 * last append came to nothing, is not appended again.
 * @throws RoomError `io`
 */
export function appendOverflow(room: Room, { path, blocks }: Spill): void {
  onDisk(path, () => {
    mkdirSync(dirname(room.at(path)), { recursive: true });
    const fd = openSync(room.at(path), 'a+');
    try {
      const more = missingPart(fd, blocks);
      if (more.length > 0) writeSync(fd, more.map((block) => block + GAP).join(''));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** The blocks without the longest run of first ones that the file ends with. */
function missingPart(fd: number, blocks: readonly string[]): readonly string[] {
  const whole = blocks.join(GAP) + GAP;
  const size = fstatSync(fd).size;
  const tail = Buffer.alloc(Math.min(size, Buffer.byteLength(whole)));
  readSync(fd, tail, 0, tail.length, size - tail.length);
  const end = tail.toString('utf8');
  let length = whole.length;
  for (let count = blocks.length; count > 0; count -= 1) {
    if (end.endsWith(whole.slice(0, length))) return blocks.slice(count);
    length -= blocks[count - 1]!.length + GAP.length;
  }
  return blocks;
}
