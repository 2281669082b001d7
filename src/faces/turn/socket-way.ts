// The fast way to the room: one connection to the runtime's unix socket, one line a request and one a answer.
import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { BRIDGE_FILES, type BridgeAnswer } from '../../remote/wire.ts';

export interface SocketWay {
  /** Null when the runtime can't be reached or went away: whether it carried the request out is not known. */
  ask(request: string, withinMs: number): Promise<BridgeAnswer | null>;
  close(): void;
}

/** @param dir the bridge's folder */
export function createSocketWay(dir: string): SocketWay {
  let connection: Promise<Socket | null> | null = null;
  return {
    async ask(request, withinMs) {
      connection ??= connect(dir);
      const socket = await connection;
      return socket === null ? null : exchange(socket, request, withinMs);
    },
    close() {
      void connection?.then((socket) => socket?.destroy());
    },
  };
}

/** Null where a sandbox denies it, or nobody listens. */
function connect(dir: string): Promise<Socket | null> {
  let path: string;
  try {
    path = readFileSync(join(dir, BRIDGE_FILES.address), 'utf8').trim();
  } catch {
    return Promise.resolve(null);
  }
  return new Promise((resolve) => {
    const socket = createConnection(path);
    // One that comes later closes the connection, which is what a caller waits for.
    socket.on('error', () => resolve(null));
    socket.once('connect', () => resolve(socket));
  });
}

function exchange(socket: Socket, request: string, withinMs: number): Promise<BridgeAnswer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => over(null), withinMs);
    function over(answer: BridgeAnswer | null): void {
      clearTimeout(timer);
      socket.removeListener('data', take);
      socket.removeListener('close', gone);
      if (answer === null) socket.destroy();
      resolve(answer);
    }
    function gone(): void {
      over(null);
    }
    function take(chunk: Buffer): void {
      chunks.push(chunk);
      if (chunk.at(-1) !== 10) return;
      over(parse(Buffer.concat(chunks).toString('utf8')));
    }
    socket.on('data', take);
    socket.on('close', gone);
    if (socket.destroyed) over(null);
    else socket.write(`${request}\n`);
  });
}

function parse(text: string): BridgeAnswer | null {
  try {
    return JSON.parse(text) as BridgeAnswer;
  } catch {
    // Cut off: the runtime died while it answered.
    return null;
  }
}
