// turns/<id>/bridge/: made before a turn's agent starts, with the program that agents call by its path, the secret they
// report with, and the folders of the spool. Only the room's own user may enter it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { BRIDGE_FILES, type BridgeCaller } from '../../remote/wire.ts';
import { onDisk } from '../../store/on-disk.ts';

const { program, token, caller, requests, taken, answers } = BRIDGE_FILES;
const PROGRAM_MODE = 0o755;

/** What a turn's `taskroom` runs. `task` is null for a chore's turn. */
export interface TurnCall {
  entry: string;
  task: string | null;
}

/**
 * Makes the folder, or what is missing in it.
 * @param call the program of a turn (absolute path of the bundled one), and the task it means when none is named
 * @param who as it is now
 * @param secret null for a turn that has its own already
 * @throws RoomError `io`
 */
export function makeBridgeFolder(
  dir: string,
  call: TurnCall,
  who: BridgeCaller,
  secret: string | null,
): void {
  onDisk(dir, () => {
    for (const folder of [dir, join(dir, taken), join(dir, answers)])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    installProgram(dir, call);
    writeFileSync(join(dir, caller), `${JSON.stringify(who)}\n`, { mode: 0o600 });
    if (secret === null) return;
    mkdirSync(join(dir, requests), { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, token), `${secret}\n`, { mode: 0o600 });
  });
}

/** Whether requests are still let in: the folder they go to is taken away as a whole when the turn is over. */
export function takesRequests(dir: string): boolean {
  return existsSync(join(dir, requests));
}

/** The secret in the folder; null where none is. */
export function keptSecret(dir: string): string | null {
  const path = join(dir, token);
  return existsSync(path) ? onDisk(path, () => readFileSync(path, 'utf8').trim()) : null;
}

/** Nothing reports with it any more. */
export function forgetSecret(dir: string): void {
  rmSync(join(dir, token), { force: true });
}

/**
 * The very build that runs the room, on the same Node, over this bridge. A turn may be running it at any moment, so it
 * is replaced as a whole, and only when it would be another.
 */
function installProgram(dir: string, { entry, task }: TurnCall): void {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const script = `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(entry)} ${quote(dir)} ${quote(task ?? '')} "$@"\n`;
  const path = join(dir, program);
  if (isAsItShouldBe(path, script)) return;
  const fresh = join(dirname(path), `.taskroom-${process.pid}`);
  rmSync(fresh, { force: true });
  writeFileSync(fresh, script);
  chmodSync(fresh, PROGRAM_MODE);
  renameSync(fresh, path);
}

function isAsItShouldBe(path: string, script: string): boolean {
  try {
    return (statSync(path).mode & 0o777) === PROGRAM_MODE && readFileSync(path, 'utf8') === script;
  } catch {
    // Absent, or something else lies there: it is replaced.
    return false;
  }
}
