// The listener that trackers' webhooks come in at. It serves POST /hooks/<tracker> and nothing else, so that a tunnel to
// it exposes nothing else; whatever is not signed is refused, and nobody can make it hold more than it has room for.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookSource } from '../../core/config/built-in-providers.ts';
import { RoomError } from '../../core/errors.ts';
import type { WebhookReceiver, WebhookRefusal } from '../../runtime.ts';
import { Crowded, readBody, TooLarge } from './body.ts';

export interface Listener {
  /** `http://127.0.0.1:8787`. */
  readonly address: string;
  /** Hears no more; what came in is answered. */
  close(): Promise<void>;
}

// A tracker sends its few kilobytes at once, and waits ten seconds at most (Linear five).
const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
const IDLE_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** A tracker has no second try for a connection that is refused: a burst must fit. */
const MAX_CONNECTIONS = 4_096;

/** @throws RoomError `unavailable` when the port can't be had */
export async function listen(
  receiver: WebhookReceiver,
  { host, port }: { host: string; port: number },
  onBug: (error: unknown) => void,
): Promise<Listener> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => void answer(receiver, request, response, onBug),
  );
  server.maxConnections = MAX_CONNECTIONS;
  await opened(server, host, port);
  const { address, port: taken, family } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // One that never ends its request must not keep the room from ending.
      const late = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(late);
    },
  };
}

function opened(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new RoomError('unavailable', `webhooks can't be heard at ${host}:${port} (${error.code})`, {
          hint: 'set another hooks.port in room.yaml, or end what uses this one; it is tried again',
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
}

/** What the tracker is told, and for whoever reads its list of deliveries, why. */
const REFUSED: Readonly<Record<WebhookRefusal, readonly [status: number, words: string]>> = {
  unsigned: [401, 'there is no signature: set the secret at the tracker'],
  wrong_signature: [401, 'the signature is wrong: the secret here is another one'],
  old: [401, 'it was signed too long ago, or the clocks differ by more than a minute'],
  malformed: [400, 'the body is not what a tracker sends'],
  not_json: [415, 'the content type is not application/json'],
  too_large: [413, 'the body is too large'],
  too_slow: [408, 'the body did not come'],
  too_many: [503, 'too much comes in at once'],
};

async function answer(
  receiver: WebhookReceiver,
  request: IncomingMessage,
  response: ServerResponse,
  onBug: (error: unknown) => void,
): Promise<void> {
  // A peer that hangs up is nobody's trouble.
  request.on('error', () => {});
  response.on('error', () => {});
  const source = sourceOf(receiver, request);
  if (source === null) return say(request, response, 404, 'there is nothing here');
  if (request.method !== 'POST') {
    response.setHeader('Allow', 'POST');
    return say(request, response, 405, 'only POST');
  }
  try {
    const refused = await take(receiver, source, request);
    if (refused === null) return say(request, response, 200, 'taken');
    return say(request, response, ...REFUSED[refused]);
  } catch (error) {
    onBug(error);
    return say(request, response, 500, 'it could not be taken');
  }
}

/** The tracker that the path names, exactly. */
function sourceOf(receiver: WebhookReceiver, { url = '' }: IncomingMessage): WebhookSource | null {
  const found = /^\/hooks\/([a-z]+)$/.exec(url);
  return found ? receiver.sourceOf(found[1]!) : null;
}

async function take(
  receiver: WebhookReceiver,
  source: WebhookSource,
  request: IncomingMessage,
): Promise<WebhookRefusal | null> {
  const header = (name: string): string | null => {
    const value = request.headers[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const isJson = /^application\/json\s*(;|$)/i.test(header('content-type') ?? '');
  const refused = isJson && header('content-encoding') === null ? null : 'not_json';
  if (refused !== null) {
    receiver.refuse(source, refused);
    return refused;
  }
  const body = await readBody(request).catch((error: unknown): WebhookRefusal => {
    const why = error instanceof TooLarge ? 'too_large' : error instanceof Crowded ? 'too_many' : 'too_slow';
    receiver.refuse(source, why);
    return why;
  });
  return typeof body === 'string' ? body : await receiver.receive(source, { header, body });
}

function say(request: IncomingMessage, response: ServerResponse, status: number, words: string): void {
  // What was not read to its end is not waited for.
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(`${words}\n`);
}
