// What the room's daemon tells of what happens, over the unix socket of its API with the person's token: server-sent events,
// followed as long as it runs and again when it came back.
import { readFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface DaemonLink {
  /** Tries to reach the daemon; nothing where it is reached already, or being tried. */
  connect(): void;
  close(): void;
}

export interface LinkHandlers {
  onConnected(): void;
  onLost(): void;
  /** @param nameOf reads the name of the task or chore that it is about; null where it is about none */
  onEvent(nameOf: () => string | null): void;
}

/** @param ownDir the room's `.taskroom` */
export function createDaemonLink(ownDir: string, handlers: LinkHandlers): DaemonLink {
  let asked: ClientRequest | null = null;
  let isConnected = false;
  const lost = () => {
    asked = null;
    if (!isConnected) return;
    isConnected = false;
    handlers.onLost();
  };
  function connect(): void {
    const where = asked === null ? readAddress(ownDir) : null;
    if (where === null) return;
    const { socketPath, token } = where;
    const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
    asked = request({ socketPath, path: '/api/events', headers }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        return;
      }
      isConnected = true;
      handlers.onConnected();
      follow(response, handlers);
    });
    asked.on('error', lost);
    asked.on('close', lost);
    asked.end();
  }
  return {
    connect,
    close() {
      isConnected = false;
      asked?.destroy();
    },
  };
}

function follow(response: IncomingMessage, { onEvent }: LinkHandlers): void {
  const lines = createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    if (line.startsWith('data: ')) onEvent(() => nameIn(line.slice('data: '.length)));
  });
  // The reader passes on what breaks the connection off; `close` of the request tells of it.
  lines.on('error', () => lines.close());
}

function nameIn(data: string): string | null {
  const { name } = JSON.parse(data) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}

/** Null where no daemon serves this room. */
function readAddress(ownDir: string): { socketPath: string; token: string } | null {
  try {
    const { socket } = JSON.parse(readFileSync(join(ownDir, 'api.json'), 'utf8')) as { socket: string };
    return { socketPath: socket, token: readFileSync(join(ownDir, 'token'), 'utf8').trim() };
  } catch {
    return null;
  }
}
