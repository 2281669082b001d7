// The API of a room that runs: opened once the loop holds the room, closed before it lets go of it.
import { rmSync, writeFileSync } from 'node:fs';
import { RoomError } from '../core/errors.ts';
import { createApp } from './app.ts';
import { createBoard } from './board/board.ts';
import { createHosts, inAddress, isLoopback, type Listening, outsideAddress } from './gate/hosts.ts';
import { listenTcp, listenUnix, type TcpListener } from './listeners.ts';
import { createHttpRoom } from './room/http-room.ts';
import { ROUTES } from './routes.ts';
import type { AnswerMcp, ApiOptions, PreparedApi } from './shapes/served-api.ts';
import { expired, readTlsFiles, type Tls } from './tls-files.ts';

const DEFAULT_PORT = 7420;

type TcpOptions = NonNullable<ApiOptions['tcp']>;

/** @throws RoomError `unavailable` for an address that is taken, `refused` for a foreign interface without TLS, `bad_input` */
export async function prepareApi(
  { tcp: wanted, version, boardDir }: ApiOptions,
  mcp: AnswerMcp,
): Promise<PreparedApi> {
  const outside = wanted?.names.map(outsideAddress).find((address) => address !== null)?.origin ?? null;
  const reach = wanted === null ? null : readReach(wanted);
  const tcp = reach === null ? null : await openTcp(reach.tcp, reach.tls);
  const closers: (() => Promise<void>)[] = tcp === null ? [] : [tcp.listener.close];
  return {
    trouble: (now) => reach?.trouble(now) ?? null,
    async open(served) {
      const room = await createHttpRoom(served, version, mcp, report);
      closers.unshift(room.close);
      const { tokens, socketPath, addressPath } = room.http.api;
      const own = tokens.own();
      const board = createBoard(boardDir);
      const answers = (where: Listening) => createApp(room.http, ROUTES, board, createHosts(where), report);
      const unix = await listenUnix(answers(SOCKET), socketPath, report);
      closers.push(unix.close);
      tcp?.listener.answer(answers(tcp.listening));
      const url = tcp?.url ?? null;
      writeFileSync(addressPath, `${JSON.stringify({ url, outside, socket: unix.path })}\n`, { mode: 0o600 });
      closers.push(async () => rmSync(addressPath, { force: true }));
      const newToken = own.isNew ? own.token : null;
      return { url, outside, socketPath: unix.path, newToken, tokenPath: own.path };
    },
    async close() {
      for (const close of closers.splice(0)) await close();
    },
  };
}

/** No browser reaches it: whatever name a request gives, it is meant. */
const SOCKET: Listening = { scheme: 'http', host: 'localhost', port: null, names: [] };

function report(error: unknown): void {
  if (isHangUp(error)) return;
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`taskroom: a request failed: ${stack}\n`);
}

/** The caller went away before its body was here: nobody's trouble. */
function isHangUp(error: unknown): boolean {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ECONNRESET' && message === 'aborted';
}

interface OpenTcp {
  listener: TcpListener;
  listening: Listening;
  url: string;
}

async function openTcp({ host, port, names }: TcpOptions, tls: Tls | null): Promise<OpenTcp> {
  const scheme = tls === null ? 'http' : 'https';
  const listener = await listenTcp({ host, port: port ?? DEFAULT_PORT, tls }, report).catch(
    (error: unknown) => {
      if (port !== null) throw error;
      // Another room of this machine has the usual one.
      return listenTcp({ host, port: 0, tls }, report);
    },
  );
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return {
    listener,
    listening: { scheme, host, port: listener.port, names },
    url: `${scheme}://${inAddress(shown)}:${listener.port}`,
  };
}

interface Reach {
  tcp: TcpOptions;
  tls: Tls | null;
  trouble: PreparedApi['trouble'];
}

/** @throws RoomError `refused`, `bad_input` */
function readReach(tcp: TcpOptions): Reach {
  const { host, tls, withoutTls } = tcp;
  if (tls !== null) return readTlsReach(tcp, tls);
  if (isLoopback(host) || withoutTls) return { tcp, tls: null, trouble: () => null };
  throw new RoomError(
    'refused',
    `${host} can be reached from other machines, and whoever listens would read the token`,
    {
      hint: 'give --tls-cert and --tls-key, put a proxy with TLS in front of 127.0.0.1, or say --without-tls',
    },
  );
}

/** A daemon that is started again in the night, when its certificate has expired, has tasks to go on with. */
function readTlsReach(tcp: TcpOptions, files: NonNullable<TcpOptions['tls']>): Reach {
  const { tls, endsAt } = readTlsFiles(files);
  if (endsAt > files.now) {
    const trouble: Reach['trouble'] = (now) => (endsAt > now ? null : expired(files.certPath, endsAt, null));
    return { tcp, tls, trouble };
  }
  const trouble = expired(files.certPath, endsAt, tcp.host);
  return { tcp: { ...tcp, host: LOOPBACK }, tls: null, trouble: () => trouble };
}

const LOOPBACK = '127.0.0.1';
