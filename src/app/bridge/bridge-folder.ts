// turns/<id>/bridge/: made before a turn's agent starts, with the secret that its programs report with and the folders of the
// spool. Only the room's own user may enter it, and of it a sandbox lets the agent write `requests` alone.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BRIDGE_FILES, type BridgeCaller } from '../../remote/wire.ts';
import { onDisk } from '../../store/room.ts';

const { token, caller, requests, taken, answers } = BRIDGE_FILES;

/**
 * Makes the folder, or what is missing in it.
 * @param who as it is now
 * @param secret null for a turn that has its own already
 * @throws RoomError `io`
 */
export function makeBridgeFolder(dir: string, who: BridgeCaller, secret: string | null): void {
  onDisk(dir, () => {
    for (const folder of [dir, join(dir, taken), join(dir, answers)])
      mkdirSync(folder, { recursive: true, mode: 0o700 });
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
