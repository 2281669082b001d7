// The fast way of a turn's reports: a unix socket that only the room's user can open, one JSON request a line and one
// answer a line. Where its path would be too long for the system it lies in a private temporary folder.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { RoomError } from '../../core/errors.ts';
import { BRIDGE_FILES, type BridgeAnswer, MAX_REQUEST_BYTES, toWireError } from '../../remote/wire.ts';

export interface BridgeSocket {
  close(): void;
}

/** What a name in the address of a unix socket may have on every system we know; Linux takes 107, macOS 103. */
const MAX_PATH_BYTES = 100;
const TEMP_PREFIX = 'taskroom-bridge-';

/**
 * Listens. Null where no socket can be made: the spool is there.
 * @param dir the bridge's folder
 * @param carryOut never rejects
 */
export async function listen(
  dir: string,
  carryOut: (text: string) => Promise<BridgeAnswer>,
): Promise<BridgeSocket | null> {
  removeOld(dir);
  const path = addressIn(dir);
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, carryOut);
  });
  server.unref();
  try {
    await bind(server, path);
    chmodSync(path, 0o600);
    writeFileSync(join(dir, BRIDGE_FILES.address), `${path}\n`, { mode: 0o600 });
  } catch {
    server.close();
    return null;
  }
  return {
    close() {
      server.close();
      for (const socket of connections) socket.destroy();
      removeOld(dir);
    },
  };
}

function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.removeListener('error', reject);
      // A connection that fails to be accepted is one caller's trouble.
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function addressIn(dir: string): string {
  const path = join(dir, BRIDGE_FILES.socket);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  return join(mkdtempSync(join(tmpdir(), TEMP_PREFIX)), BRIDGE_FILES.socket);
}

/** The socket of this bridge, also one that a dead runtime left, with the temporary folder that was made for it. */
function removeOld(dir: string): void {
  const address = join(dir, BRIDGE_FILES.address);
  let path: string;
  try {
    path = readFileSync(address, 'utf8').trim();
  } catch {
    return;
  }
  const folder = dirname(path);
  if (folder === dir) rmSync(path, { force: true });
  else if (dirname(folder) === tmpdir() && basename(folder).startsWith(TEMP_PREFIX))
    rmSync(folder, { recursive: true, force: true });
  rmSync(address, { force: true });
}

function serve(socket: Socket, carryOut: (text: string) => Promise<BridgeAnswer>): void {
  let pending: Buffer[] = [];
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...pending, rest.subarray(0, end)]).toString('utf8');
      rest = rest.subarray(end + 1);
      pending = [];
      size = 0;
      void carryOut(line).then((answer) => send(socket, answer));
    }
    size += rest.length;
    pending.push(rest);
    if (size > MAX_REQUEST_BYTES) refuse(socket);
  });
}

function refuse(socket: Socket): void {
  const error = toWireError(new RoomError('bad_input', `a request has at most ${MAX_REQUEST_BYTES} bytes`));
  socket.removeAllListeners('data');
  socket.end(`${JSON.stringify({ key: '', ok: false, error })}\n`);
}

function send(socket: Socket, answer: BridgeAnswer): void {
  if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
}
