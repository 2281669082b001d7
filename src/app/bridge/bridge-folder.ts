// turns/<id>/bridge/: the folder over which a turn's programs report, with their secret and the spool. It is made before the agent starts, and
// only the room's own user may enter it; a sandbox lets the agent write `requests` alone.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TurnMcpServer, TurnReach } from '../../agents/runner.ts';
import type { TurnId } from '../../core/ids.ts';
import { createSerialQueue } from '../../core/keyed-mutex.ts';
import { BRIDGE_FILES, type BridgeCaller } from '../../remote/protocol.ts';
import type { Send } from '../../remote/remote-client.ts';
import { onDisk } from '../../store/room.ts';
import { openSpool, type SpoolOptions } from './spool.ts';

interface BridgeFolder extends Omit<SpoolOptions, 'line'> {
  turn: TurnId;
  caller(): BridgeCaller;
  secret: string | null; // Null where the folder holds one already.
  hasSpool: boolean; // Whether programs on this machine report; else no folder is made.
  send: Send; // Carries out a tool call of the turn's own model.
}

/** @throws RoomError `io` */
export function openBridgeFolder({ send, hasSpool, ...folder }: BridgeFolder) {
  const { dir, turn, caller } = folder;
  if (hasSpool) makeFolder(folder);
  const line = createSerialQueue();
  return {
    reach: turnReach(dir),
    /** Programs start their servers with few variables, so an argument names the bridge. */
    mcp: {
      command: process.execPath,
      args: [programAt(isSource ? 'bin-turn.ts' : 'bin-turn.cjs'), '--bridge', dir, 'mcp'],
      env: {},
    } satisfies TurnMcpServer,
    async tools() {
      const { toolsOfTurn } = await import('../agents/agent-tools.ts');
      return toolsOfTurn(caller(), turn, (op, input) => line.add(() => send(op, input)));
    },
    line,
    spool: hasSpool ? openSpool({ ...folder, line }) : null,
  };
}

const { token, caller: CALLER, requests, taken, answers } = BRIDGE_FILES;

function makeFolder({ dir, caller, secret }: Pick<BridgeFolder, 'dir' | 'caller' | 'secret'>): void {
  const make = (name: string) => mkdirSync(join(dir, name), { recursive: true, mode: 0o700 });
  onDisk(dir, () => {
    for (const name of ['', taken, answers]) make(name);
    writeFileSync(join(dir, CALLER), `${JSON.stringify(caller())}\n`, { mode: 0o600 });
    if (secret === null) return;
    make(requests);
    writeFileSync(join(dir, token), `${secret}\n`, { mode: 0o600 });
  });
}

/** Whether requests are still let in: when the turn is over the folder is renamed. */
export const takesRequests = (dir: string) => existsSync(join(dir, requests));
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The secret in the folder; null where none is. */
export function keptSecret(dir: string): string | null {
  const path = join(dir, token);
  return existsSync(path) ? onDisk(path, () => readFileSync(path, 'utf8').trim()) : null;
}

export const forgetSecret = (dir: string) => rmSync(join(dir, token), { force: true });

// The programs lie in the package, where no agent may write. The bundle lies one folder below the package's root of code, this file two.
const isSource = import.meta.url.endsWith('.ts');
const programAt = (name: string) =>
  fileURLToPath(new URL(`${isSource ? '../..' : '..'}/bin/${name}`, import.meta.url));

/** Absolute path of the `taskroom` of turns; it stands alone in its folder. */
export const turnProgram = () => programAt('turn-path/taskroom');

export const turnReach = (dir: string): TurnReach => ({
  dir,
  spool: join(dir, requests),
  program: turnProgram(),
});
