// The API of a room that runs: opened once the loop holds the room, closed before it lets go of it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { RoomError } from '../../core/errors.ts';
import type { AnswerMcp, ApiOptions, PreparedApi, ServableRoom } from '../shapes/served-api.ts';
import { createApp } from './app.ts';
import { createBoard } from './board/board.ts';
import { createHosts, inAddress, isLoopback, type Listening } from './gate/hosts.ts';
import { listenTcp, listenUnix, type TcpListener, type Tls } from './listeners.ts';
import { createEventFeed } from './room/feed.ts';
import type { HttpRoom } from './room/http-room.ts';
import { createKeptAnswers } from './room/kept-answers.ts';
import { createLinks } from './room/links.ts';
import { createMetrics } from './room/metrics.ts';
import { ROUTES } from './routes.ts';

const DEFAULT_PORT = 7420;

type TcpOptions = NonNullable<ApiOptions['tcp']>;

/** @throws RoomError `unavailable` for an address that is taken, `refused` for a foreign interface without TLS, `bad_input` */
export async function prepareApi(
  { tcp: wanted, version, boardDir }: ApiOptions,
  mcp: AnswerMcp,
): Promise<PreparedApi> {
  const tcp = wanted === null ? null : await openTcp(wanted, readTls(wanted));
  const closers: (() => Promise<void>)[] = tcp === null ? [] : [tcp.listener.close];
  return {
    async open(served) {
      const room = await createRoom(served, version, mcp);
      closers.unshift(room.close);
      const { tokens, socketPath, addressPath } = room.http.api;
      const own = tokens.own();
      const board = createBoard(boardDir);
      const answers = (where: Listening) => createApp(room.http, ROUTES, board, createHosts(where), report);
      const unix = await listenUnix(answers(SOCKET), socketPath);
      closers.push(unix.close);
      tcp?.listener.answer(answers(tcp.listening));
      const url = tcp?.url ?? null;
      writeFileSync(addressPath, `${JSON.stringify({ url, socket: unix.path })}\n`, { mode: 0o600 });
      closers.push(async () => rmSync(addressPath, { force: true }));
      return { url, socketPath: unix.path, newToken: own.isNew ? own.token : null, tokenPath: own.path };
    },
    async close() {
      for (const close of closers.splice(0)) await close();
    },
  };
}

/** No browser reaches it: whatever name a request gives, it is meant. */
const SOCKET: Listening = { scheme: 'http', host: 'localhost', port: null, names: [] };

function report(error: unknown): void {
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`taskroom: a request failed: ${stack}\n`);
}

interface OpenTcp {
  listener: TcpListener;
  listening: Listening;
  url: string;
}

async function openTcp({ host, port, names }: TcpOptions, tls: Tls | null): Promise<OpenTcp> {
  const scheme = tls === null ? 'http' : 'https';
  const listener = await listenTcp({ host, port: port ?? DEFAULT_PORT, tls }).catch((error: unknown) => {
    if (port !== null) throw error;
    // Another room of this machine has the usual one.
    return listenTcp({ host, port: 0, tls });
  });
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return {
    listener,
    listening: { scheme, host, port: listener.port, names },
    url: `${scheme}://${inAddress(shown)}:${listener.port}`,
  };
}

function readTls({ host, tls, withoutTls }: TcpOptions): Tls | null {
  if (tls === null) {
    if (isLoopback(host) || withoutTls) return null;
    throw new RoomError(
      'refused',
      `${host} can be reached from other machines, and whoever listens would read the token`,
      {
        hint: 'give --tls-cert and --tls-key, put a proxy with TLS in front of 127.0.0.1, or say --without-tls',
      },
    );
  }
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw new RoomError('bad_input', `can't read ${path}: ${(error as Error).message}`, { cause: error });
    }
  };
  return { cert: read(tls.certPath), key: read(tls.keyPath) };
}

async function createRoom(
  { runtime, effects, heard, workers }: ServableRoom,
  programVersion: string,
  mcp: AnswerMcp,
) {
  const api = await runtime.api();
  const closing = new AbortController();
  const feed = createEventFeed(runtime.events, effects, Math.trunc(effects.now()).toString(36));
  const metrics = createMetrics(runtime);
  let isReady = true;
  const unsubscribe = runtime.events.subscribe(({ type }) => {
    if (type === 'room.stopping') isReady = false;
  });
  const http: HttpRoom = {
    ...{ runtime, effects, programVersion, mcp, report, api, feed, metrics, workers },
    links: createLinks(effects),
    kept: createKeptAnswers(effects),
    version: () => `${api.version()}.${heard()}.${feed.lastId()}`,
    isReady: () => isReady,
    closing: closing.signal,
  };
  const close = async () => {
    unsubscribe();
    feed.close();
    metrics.close();
    closing.abort();
  };
  return { http, close };
}
