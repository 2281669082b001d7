// Texts that lost, kept where a person finds them: `.taskroom/attic/<day> <what>.md`. Nothing there is overwritten.
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_NAME_BYTES, safeFileName, shortenName } from '../../core/task/file-name.ts';
import type { Effects } from '../../effects.ts';
import { onDisk, type Room } from '../room.ts';
import { replaceFile } from '../write/replace-file.ts';

/**
 * Keeps a text; the same text under the same name is kept once.
 * @param what words for the file's name, such as `Fix the build, body from here`
 * @returns its path inside the room
 * @throws RoomError `io`
 */
export function keepInAttic(room: Room, what: string, text: string, effects: Effects): string {
  onDisk(room.atticDir, () => mkdirSync(room.atticDir, { recursive: true }));
  const bytes = Buffer.from(text, 'utf8');
  for (const name of namesFor(what, effects)) {
    const path = join(room.atticDir, `${name}.md`);
    if (holds(path, bytes)) return inRoom(`${name}.md`);
    if (replaceFile(path, bytes, null, { keepDir: null, effects }).done) return inRoom(`${name}.md`);
  }
  throw new Error('unreachable: there is always another name');
}

/** Moves a file that can't be used where it is; returns its path inside the room, null when it is gone. @throws RoomError `io` */
export function moveToAttic(room: Room, from: string, what: string, effects: Effects): string | null {
  return onDisk(room.atticDir, () => moveUnderFreeName(room, from, what, effects));
}

function moveUnderFreeName(room: Room, from: string, what: string, effects: Effects): string | null {
  mkdirSync(room.atticDir, { recursive: true });
  for (const name of namesFor(what, effects)) {
    if (readOrNull(join(room.atticDir, name)) !== null) continue;
    try {
      renameSync(from, join(room.atticDir, name));
      return inRoom(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }
  return null;
}

function* namesFor(what: string, effects: Effects): Generator<string> {
  const day = new Date(effects.now()).toISOString().slice(0, 10);
  const stem = shortenName(`${day} ${safeFileName(what) ?? 'text'}`, MAX_NAME_BYTES - 8).trimEnd();
  for (let count = 1; ; count += 1) yield count === 1 ? stem : `${stem} ${count}`;
}

function inRoom(name: string): string {
  return `.taskroom/attic/${name}`;
}

function holds(path: string, bytes: Buffer): boolean {
  return readOrNull(path)?.equals(bytes) ?? false;
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
