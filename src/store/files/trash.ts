// The trash, `.taskroom/attic/<day> <what>.md`: texts that lost, where a person finds them. Nothing there is overwritten.
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.ts';
import { MAX_NAME_BYTES, safeFileName, shortenName } from '../../core/task/names.ts';
import type { Effects } from '../../effects.ts';
import { onDisk, type Room } from '../room.ts';
import { replaceFile } from '../write/replace-file.ts';

/** Keeps a text once under a name of these words (`Fix the build, body from here`). @returns its path. @throws RoomError `io` */
export function keepInTrash(room: Room, what: string, text: string, effects: Effects): string {
  const bytes = Buffer.from(text, 'utf8');
  return underFreeName(room, what, '.md', effects, (path) => {
    if (existsSync(path)) return readFileSync(path).equals(bytes);
    return replaceFile(path, bytes, null, effects);
  });
}

/** Moves a file that can't be used where it is; returns its path inside the room, null when it is gone. @throws RoomError `io` */
export function moveToTrash(room: Room, from: string, what: string, effects: Effects): string | null {
  try {
    return underFreeName(room, what, '', effects, (path) => {
      if (existsSync(path)) return false;
      renameSync(from, path);
      return true;
    });
  } catch (error) {
    if (hasCode((error as Error).cause, 'ENOENT')) return null;
    throw error;
  }
}

/** Offers paths until `put` takes one; returns that, as it is inside the room. */
type Put = (path: string) => boolean;

function underFreeName(room: Room, what: string, end: string, effects: Effects, put: Put): string {
  const day = new Date(effects.now()).toISOString().slice(0, 10);
  const stem = shortenName(`${day} ${safeFileName(what) ?? 'text'}`, MAX_NAME_BYTES - 8).trimEnd();
  return onDisk(room.trashDir, () => {
    mkdirSync(room.trashDir, { recursive: true });
    for (let count = 1; ; count += 1) {
      const name = `${count === 1 ? stem : `${stem} ${count}`}${end}`;
      if (put(join(room.trashDir, name))) return `.taskroom/attic/${name}`;
    }
  });
}
