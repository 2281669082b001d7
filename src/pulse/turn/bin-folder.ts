// A folder with a `taskroom` program for the PATH of turns: the very build that runs the room, on the same Node. Turns
// may be running it at any moment, so it is replaced as a whole, and only when it would be another.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Room } from '../../store/room.ts';

const MODE = 0o755;

/** Writes `.taskroom/bin/taskroom` where it is not there as it should be, and returns the folder's absolute path. */
export function installBin(room: Room, entry: URL): string {
  const dir = join(room.ownDir, 'bin');
  mkdirSync(dir, { recursive: true });
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const script = `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(fileURLToPath(entry))} "$@"\n`;
  const path = join(dir, 'taskroom');
  if (isAsItShouldBe(path, script)) return dir;
  const fresh = join(dir, `.taskroom-${process.pid}`);
  rmSync(fresh, { force: true });
  writeFileSync(fresh, script);
  chmodSync(fresh, MODE);
  renameSync(fresh, path);
  return dir;
}

function isAsItShouldBe(path: string, script: string): boolean {
  try {
    return (statSync(path).mode & 0o777) === MODE && readFileSync(path, 'utf8') === script;
  } catch {
    // Absent, or something else lies there: it is replaced.
    return false;
  }
}
