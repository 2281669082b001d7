// turns/<id>/bridge/: made before a turn's agent starts, with the secret that its programs report with and the folders of the
// spool, and how those programs find it. Only the room's own user may enter it; of it a sandbox lets the agent write `requests` alone.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TurnMcpServer, TurnReach } from '../../agents/runner.ts';
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
  const makeFolder = (name: string) => mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
  onDisk(dir, () => {
    for (const name of ['', taken, answers]) makeFolder(name);
    writeFileSync(join(dir, caller), `${JSON.stringify(who)}\n`, { mode: 0o600 });
    if (secret === null) return;
    makeFolder(requests);
    writeFileSync(join(dir, token), `${secret}\n`, { mode: 0o600 });
  });
}

/** Whether requests are still let in: the folder they go to is taken away as a whole when the turn is over. */
export const takesRequests = (dir: string) => existsSync(join(dir, requests));

/** The secret in the folder; null where none is. */
export function keptSecret(dir: string): string | null {
  const path = join(dir, token);
  return existsSync(path) ? onDisk(path, () => readFileSync(path, 'utf8').trim()) : null;
}

/** Nothing reports with the secret any more. */
export const forgetSecret = (dir: string) => rmSync(join(dir, token), { force: true });

// The programs lie in the package: no agent may write there, and nothing that a turn can write is a program of anybody.
// What is bundled lies one folder below the package's root of code, this file two.
const isSource = import.meta.url.endsWith('.ts');
const programAt = (name: string) =>
  fileURLToPath(new URL(`${isSource ? '../..' : '..'}/bin/${name}`, import.meta.url));

/** Absolute path of the `taskroom` of turns; it stands alone in its folder. */
export const turnProgram = () => programAt('turn-path/taskroom');

export const turnReach = (dir: string): TurnReach => ({
  ...{ dir, spool: join(dir, requests), program: turnProgram() },
});

/** Programs start their servers with few variables: its words name the bridge. */
export function turnMcp(dir: string): TurnMcpServer {
  const entry = programAt(isSource ? 'bin-turn.ts' : 'bin-turn.cjs');
  return { command: process.execPath, args: [entry, '--bridge', dir, 'mcp'], env: {} };
}
