// The listeners of the server: a unix socket beside the ledger, and one TCP address if wanted, with the same limits.
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, ListenOptions } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { RoomError, valueOr } from '../core/errors.ts';
import { problemResponse } from './middleware/problem.ts';
import type { Handle } from './room/http-room.ts';

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  maxConnections: 1_000,
  graceMs: 0, // How long requests under way may take when the server closes, ms.
};
const STARTING = new RoomError('unavailable', 'the room is being opened', {
  hint: 'ask again in a moment',
  retryAfterMs: 1_000,
});
const MAX_HEADERS = 100;
/** The longest path of a unix socket on every system: Linux takes 107 bytes, macOS 103. */
const MAX_PATH_BYTES = 100;
const TEMP_PREFIX = 'taskroom-api-';

/** In PEM. */
export type Tls = { cert: string; key: string };

/** Gets each bug. */
export type Report = (error: unknown) => void;

function createServer(handle: Handle, tls: Tls | null, report: Report, limits = LIMITS): Server {
  const { maxConnections, graceMs: _, ...serverOptions } = limits;
  const made = createAdaptorServer({
    async fetch(request, { outgoing }) {
      const response = await handle(request, {
        drop: () => void outgoing.destroy(),
        onClose: (told) => void (outgoing.destroyed ? told() : outgoing.once('close', told)),
      });
      send(response, outgoing as ServerResponse, report);
      return RESPONSE_ALREADY_SENT;
    },
    overrideGlobalObjects: false,
    ...(tls === null
      ? { createServer: createPlainServer, serverOptions }
      : { createServer: createTlsServer, serverOptions: { ...serverOptions, ...tls } }),
  }) as Server;
  made.maxHeadersCount = MAX_HEADERS;
  made.maxConnections = maxConnections;
  return made;
}

/** Sends an answer; a stream goes on after this returns. The adapter's own writer would print into the room's log, stdout, when a
 * reader goes away. @param report gets the error that breaks a stream */
function send(response: Response, outgoing: ServerResponse, report: Report): void {
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  if (response.body === null) return void outgoing.end();
  const source = Readable.fromWeb(response.body as ReadableStream);
  let isGone = outgoing.destroyed;
  outgoing.once('close', () => {
    isGone = true;
  });
  source.once('error', (error) => isGone || report(error));
  if (!isGone) outgoing.flushHeaders();
  pipeline(source, outgoing, () => undefined);
}

export type TcpListener = Awaited<ReturnType<typeof listenTcp>>;

/** Answers that the room is being opened until `answer` is called. @param port 0 for any free one
 * @throws RoomError `unavailable` for a port that is taken or an address that is not this machine's */
export async function listenTcp(
  host: string,
  port: number,
  tls: Tls | null,
  report: Report,
  limits = LIMITS,
) {
  let handle: Handle = async () => problemResponse(STARTING);
  const server = createServer((request, connection) => handle(request, connection), tls, report, limits);
  await bind(server, { host, port }, `${host}:${port}`);
  return {
    port: (server.address() as AddressInfo).port,
    answer(by: Handle) {
      handle = by;
    },
    close: () => closeServer(server, limits.graceMs),
  };
}

/** @param path of the socket; one that is too long for the system is put into a private temporary folder */
export async function listenUnix(handle: Handle, path: string, report: Report) {
  removeOld(path);
  const isLong = Buffer.byteLength(path) > MAX_PATH_BYTES;
  const real = isLong ? join(mkdtempSync(join(tmpdir(), TEMP_PREFIX)), basename(path)) : path;
  const server = createServer(handle, null, report);
  await bind(server, { path: real }, real);
  chmodSync(real, 0o600);
  if (isLong) writeFileSync(`${path}.at`, `${real}\n`, { mode: 0o600 });
  return {
    path: real,
    async close() {
      await closeServer(server, LIMITS.graceMs);
      removeOld(path);
    },
  };
}

/** Removes the socket that a dead daemon left, with its temporary folder. */
function removeOld(path: string): void {
  rmSync(path, { force: true });
  const elsewhere = valueOr(null, () => readFileSync(`${path}.at`, 'utf8').trim());
  if (elsewhere === null) return;
  const folder = dirname(elsewhere);
  if (dirname(folder) === tmpdir() && basename(folder).startsWith(TEMP_PREFIX))
    rmSync(folder, { recursive: true, force: true });
  rmSync(`${path}.at`, { force: true });
}

async function bind(server: Server, address: ListenOptions, shown: string): Promise<void> {
  server.listen(address);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new RoomError('unavailable', `can't listen on ${shown}: ${message}`, {
      cause: error,
      hint: code === 'EADDRINUSE' ? 'give another --port' : 'see --host and --port',
    });
  }
  // A connection that can't be accepted fails one caller only.
  server.on('error', () => undefined);
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  // Streams that end with the server send their end first.
  await setImmediate();
  const late = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(late);
}
