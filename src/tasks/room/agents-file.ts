// Files for interactive agents of a room: written and looked at.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { onDisk } from '../../store/room.ts';

/**
 * Keeps a generated file, or a part of one, as this version has it.
 * @param name path within `dir`
 * @param next the whole text as it should be, given the one that is there ('' for none)
 * @param write puts it in place where it is missing or old
 * @throws RoomError `io`
 */
export function keepFile(dir: string, name: string, next: (text: string) => string, write: boolean) {
  const named = join(dir, name);
  // Often a link to another agent's file: what it leads to is written.
  return onDisk(named, () => {
    const path = existsSync(named) ? realpathSync(named) : named;
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const wanted = next(text);
    if (wanted === text || !write) return { path: named, isCurrent: wanted === text };
    const fresh = `${path}.${process.pid}`;
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(fresh, wanted);
      renameSync(fresh, path);
    } finally {
      rmSync(fresh, { force: true });
    }
    return { path: named, isCurrent: false };
  });
}
