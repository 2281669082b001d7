// The listener that trackers' webhooks come in at. It serves POST /hooks/<tracker> and nothing else, so that a tunnel to
// it exposes nothing else; whatever is not signed is refused, and nobody can make it hold more than it has room for.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookReceiver, WebhookRefusal } from '../../app/open-room.ts';
import type { WebhookSource } from '../../core/config/built-in-providers.ts';
import { RoomError } from '../../core/errors.ts';

export type Listener = Awaited<ReturnType<typeof listen>>;

// A tracker sends its few kilobytes at once, and waits ten seconds at most (Linear five).
const LIMITS = {
  ...{ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000 },
  ...{ maxHeaderSize: 16 * 1024, connectionsCheckingInterval: 1_000 },
};
/** A tracker has no second try for a connection that is refused: a burst must fit. */
const MAX_CONNECTIONS = 4_096;

/** @throws RoomError `unavailable` when the port can't be had */
export async function listen(
  receiver: WebhookReceiver,
  { host, port }: { host: string; port: number },
  onBug: (error: unknown) => void,
) {
  const server = createServer(LIMITS, (request, response) => void answer(receiver, request, response, onBug));
  server.maxConnections = MAX_CONNECTIONS;
  await opened(server, host, port);
  const { address, port: taken, family } = server.address() as AddressInfo;
  return {
    /** `http://127.0.0.1:8787`. */
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    /** Hears no more; what came in is answered. */
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // A request that never ends must not keep the room from ending.
      const late = setTimeout(() => server.closeAllConnections(), 1_000);
      await closed;
      clearTimeout(late);
    },
  };
}

function opened(server: Server, host: string, port: number): Promise<void> {
  const hint = 'set another hooks.port in room.yaml, or end what uses this one; it is tried again';
  return new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(new RoomError('unavailable', `webhooks can't be heard at ${host}:${port} (${code})`, { hint })),
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
  const named = /^\/hooks\/([a-z]+)$/.exec(request.url ?? '')?.[1];
  const source = named === undefined ? null : receiver.sourceOf(named);
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
  const body = isJson && header('content-encoding') === null ? await readBody(request) : 'not_json';
  if (typeof body !== 'string') return receiver.receive(source, { header, body });
  receiver.refuse(source, body);
  return body;
}

/** Linear's own bound; an issue, a comment and what they were before fit into it many times. */
const MAX_BYTES = 5 * 2 ** 20;
/** Of all bodies that are being read at the same time. */
const MAX_BYTES_TOGETHER = 64 * 2 ** 20;

let held = 0;

/** The body of one delivery, or why it is not taken. */
async function readBody(request: IncomingMessage): Promise<Buffer | WebhookRefusal> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) return 'too_large';
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      size += (part as Buffer).length;
      held += (part as Buffer).length;
      if (size > MAX_BYTES) return 'too_large';
      if (held > MAX_BYTES_TOGETHER) return 'too_many';
      parts.push(part as Buffer);
    }
    return Buffer.concat(parts, size);
  } catch {
    // The connection broke, or the body did not come in time.
    return 'too_slow';
  } finally {
    held -= size;
  }
}

function say(request: IncomingMessage, response: ServerResponse, status: number, words: string): void {
  // What was not read to its end is not waited for.
  if (!request.complete) response.setHeader('Connection', 'close');
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  response.writeHead(status, headers);
  response.end(`${words}\n`);
}
