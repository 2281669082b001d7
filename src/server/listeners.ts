// Where the server listens: a unix socket beside the ledger, always, and one TCP address where that is wanted. Both have the
// same limits on headers and time.
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { RoomError } from '../core/errors.ts';
import type { Handle } from './app.ts';
import { problemResponse } from './gate/problem.ts';
import type { Tls } from './tls-files.ts';

/** One that answers that the room starts until it is told how to answer. */
export interface TcpListener {
  port: number;
  answer(handle: Handle): void;
  close(): Promise<void>;
}

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
};
const STARTING = new RoomError('unavailable', 'the room is being opened', {
  hint: 'ask again in a moment',
  retryAfterMs: 1_000,
});
const MAX_HEADERS = 100;
const MAX_CONNECTIONS = 1_000;
/** What the address of a unix socket may have on every system we know; Linux takes 107, macOS 103. */
const MAX_PATH_BYTES = 100;
const TEMP_PREFIX = 'taskroom-api-';

/** Told of what is a bug. */
type Report = (error: unknown) => void;

function createServer(handle: Handle, tls: Tls | null, report: Report): Server {
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
      ? { createServer: createPlainServer, serverOptions: LIMITS }
      : { createServer: createTlsServer, serverOptions: { ...LIMITS, ...tls } }),
  }) as Server;
  made.maxHeadersCount = MAX_HEADERS;
  made.maxConnections = MAX_CONNECTIONS;
  return made;
}

/**
 * Sends an answer; a stream goes on after this returns, until it ends or its reader is gone. The adapter's own writer tells of a
 * reader that went away on standard output, which is the log of the room.
 * @param report told what a stream broke with; its reader sees the connection cut
 */
function send(response: Response, outgoing: ServerResponse, report: Report): void {
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  if (response.body === null) return void outgoing.end();
  sendStream(response.body, outgoing).catch((error: unknown) => {
    outgoing.destroy();
    report(error);
  });
}

async function sendStream(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const gone = new AbortController();
  // What it was waiting for then reads as its end.
  const leave = () => {
    gone.abort();
    reader.cancel().catch(() => undefined);
  };
  if (outgoing.destroyed) return leave();
  outgoing.once('close', leave).on('error', leave).flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (outgoing.destroyed) return;
    if (done) return void outgoing.end();
    if (!outgoing.write(value)) await once(outgoing, 'drain', gone).catch(() => undefined);
  }
}

/** @throws RoomError `unavailable` for a port that is taken or an address that is not this machine's */
export async function listenTcp({ host, port, tls }: TcpAddress, report: Report): Promise<TcpListener> {
  let handle: Handle = async () => problemResponse(STARTING);
  const server = createServer((request, drop) => handle(request, drop), tls, report);
  await bind(server, () => server.listen({ host, port }), `${host}:${port}`);
  return {
    port: (server.address() as AddressInfo).port,
    answer: (by) => {
      handle = by;
    },
    close: () => closeServer(server),
  };
}

interface TcpAddress {
  host: string;
  /** 0 for any that is free. */
  port: number;
  tls: Tls | null;
}

/** @param path of the socket; where that is too long for the system it lies in a private temporary folder */
export async function listenUnix(
  handle: Handle,
  path: string,
  report: Report,
): Promise<{ path: string; close(): Promise<void> }> {
  removeOld(path);
  const isLong = Buffer.byteLength(path) > MAX_PATH_BYTES;
  const real = isLong ? join(mkdtempSync(join(tmpdir(), TEMP_PREFIX)), basename(path)) : path;
  const server = createServer(handle, null, report);
  await bind(server, () => server.listen(real), real);
  chmodSync(real, 0o600);
  if (isLong) writeFileSync(`${path}.at`, `${real}\n`, { mode: 0o600 });
  return {
    path: real,
    async close() {
      await closeServer(server);
      removeOld(path);
    },
  };
}

/** The socket of this room that a dead daemon left, with the temporary folder that was made for it. */
function removeOld(path: string): void {
  rmSync(path, { force: true });
  let elsewhere: string;
  try {
    elsewhere = readFileSync(`${path}.at`, 'utf8').trim();
  } catch {
    return;
  }
  const folder = dirname(elsewhere);
  if (dirname(folder) === tmpdir() && basename(folder).startsWith(TEMP_PREFIX))
    rmSync(folder, { recursive: true, force: true });
  rmSync(`${path}.at`, { force: true });
}

function bind(server: Server, listen: () => void, where: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) =>
      reject(
        new RoomError('unavailable', `can't listen on ${where}: ${error.message}`, {
          cause: error,
          hint: error.code === 'EADDRINUSE' ? 'give another --port' : 'see --host and --port',
        }),
      );
    server.once('error', refuse);
    server.once('listening', () => {
      server.removeListener('error', refuse);
      // A connection that fails to be accepted is one caller's trouble.
      server.on('error', () => undefined);
      resolve();
    });
    listen();
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
