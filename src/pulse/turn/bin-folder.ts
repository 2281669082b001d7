// A folder with a `taskroom` program for the PATH of turns: the very build that runs the room, on the same Node.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Room } from '../../store/room.ts';

/** Writes `.taskroom/bin/taskroom` and returns the folder's absolute path. */
export function installBin(room: Room, entry: URL): string {
  const dir = join(room.ownDir, 'bin');
  mkdirSync(dir, { recursive: true });
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const path = join(dir, 'taskroom');
  writeFileSync(path, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(fileURLToPath(entry))} "$@"\n`);
  chmodSync(path, 0o755);
  return dir;
}
