// The API of a running room. It takes its address before the room is opened, answers once the loop holds the room, and closes before
// the loop releases it. A useless certificate is reported at the start.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { RoomError } from '../core/errors.ts';
import { isLoopback } from '../core/loopback.ts';
import { createApp } from './app.ts';
import { createBoard } from './board/board.ts';
import { listenTcp, listenUnix, type Tls } from './listeners.ts';
import { createHosts, inAddress, type Listening, outsideAddress } from './middleware/hosts.ts';
import { createHttpRoom } from './room/http-room.ts';
import { ROUTES } from './routes.ts';
import type { AnswerMcp, ApiOptions, PreparedApi } from './shapes/faces.ts';

const DEFAULT_PORT = 7420;
const LOOPBACK = '127.0.0.1';
/** No browser reaches the socket, so every Host is accepted. */
const SOCKET: Listening = { scheme: 'http', host: 'localhost', port: null, names: [] };

type TcpOptions = NonNullable<ApiOptions['tcp']>;
type TlsFiles = NonNullable<TcpOptions['tls']>;

/** @throws RoomError `unavailable` for an address that is taken, `refused` for a foreign interface without TLS, `bad_input` */
export async function prepareApi(
  { tcp: wanted, version, boardDir }: ApiOptions,
  mcp: AnswerMcp,
): Promise<PreparedApi> {
  const outside = wanted?.names.map(outsideAddress).find((address) => address !== null)?.origin ?? null;
  const tcp = wanted === null ? null : await openTcp(wanted);
  const closers: (() => Promise<void>)[] = tcp === null ? [] : [tcp.listener.close];
  return {
    trouble: (now) => tcp?.trouble(now) ?? null,
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
      // Deliveries come in here where room.yaml names no port of their own.
      const { webhooks, runtime } = served;
      if (url !== null && webhooks !== null && runtime.config().hooks.port === null) await webhooks.open(url);
      const newToken = own.isNew ? own.token : null;
      return { url, outside, socketPath: unix.path, newToken, tokenPath: own.path };
    },
    async close() {
      for (const close of closers.splice(0)) await close();
    },
  };
}

/** Prints a bug; a caller that went away while it sent its body is none. */
function report(error: unknown): void {
  const { code, message, stack } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' && message === 'aborted') return;
  process.stderr.write(`taskroom: a request failed: ${stack ?? String(error)}\n`);
}

async function openTcp(wanted: TcpOptions) {
  const { host, tls, trouble } = readReach(wanted);
  const { port, names } = wanted;
  const listener = await listenTcp(host, port ?? DEFAULT_PORT, tls, report).catch((error: unknown) => {
    if (port !== null) throw error;
    // Another room of this machine has the usual port.
    return listenTcp(host, 0, tls, report);
  });
  const scheme = tls === null ? ('http' as const) : ('https' as const);
  const shown = host === '0.0.0.0' ? LOOPBACK : host === '::' ? '::1' : host;
  return {
    ...{ listener, trouble },
    listening: { scheme, host, port: listener.port, names },
    url: `${scheme}://${inAddress(shown)}:${listener.port}`,
  };
}

/** The address to listen at, and the trouble that keeps other machines away. @throws RoomError `refused`, `bad_input` */
function readReach({ host, tls: files, withoutTls }: TcpOptions) {
  if (files === null) {
    if (isLoopback(host) || withoutTls) return { host, tls: null, trouble: () => null };
    const message = `${host} can be reached from other machines, and whoever listens would read the token`;
    const hint =
      'give --tls-cert and --tls-key, put a proxy with TLS in front of 127.0.0.1, or say --without-tls';
    throw new RoomError('refused', message, { hint });
  }
  const { tls, endsAt } = readTlsFiles(files);
  const { certPath, now } = files;
  if (endsAt > now)
    return { host, tls, trouble: (at: number) => (endsAt > at ? null : expired(certPath, endsAt, null)) };
  // A daemon that starts with an expired certificate still has tasks to run.
  const trouble = expired(certPath, endsAt, host);
  return { host: LOOPBACK, tls: null, trouble: () => trouble };
}

/** The certificate and key, and when the certificate ends, epoch ms. @throws RoomError `bad_input`; not for an expired one */
function readTlsFiles({ certPath, keyPath }: TlsFiles): { tls: Tls; endsAt: number } {
  const [cert, key] = [certPath, keyPath].map((path) =>
    attempt(() => readFileSync(path, 'utf8'), `can't read ${path}`),
  ) as [string, string];
  const certificate = attempt(
    () => new X509Certificate(cert),
    `${certPath} holds no certificate in PEM`,
    'give the certificate with --tls-cert, its authorities after it in the same file',
  );
  const secret = attempt(
    () => createPrivateKey(key),
    `${keyPath} holds no private key in PEM that opens without a passphrase`,
    'give the key with --tls-key',
  );
  const hint = 'give the two that were made together';
  if (!certificate.checkPrivateKey(secret))
    throw new RoomError('bad_input', `${keyPath} is not the key of ${certPath}`, hint);
  attempt(() => createSecureContext({ cert, key }), `${certPath} and ${keyPath} make no TLS`, 'make others');
  return { tls: { cert, key }, endsAt: certificate.validToDate.getTime() };
}

function attempt<T>(run: () => T, message: string, hint?: string): T {
  try {
    return run();
  } catch (error) {
    throw new RoomError('bad_input', `${message} (${(error as Error).message})`, {
      cause: error,
      ...(hint !== undefined && { hint }),
    });
  }
}

/** @param host the address that is not served; null when the certificate expired while the API was served */
function expired(certPath: string, endsAt: number, host: string | null): RoomError {
  const ended = `the certificate in ${certPath} expired on ${new Date(endsAt).toISOString()}`;
  const so = host === null ? 'no other machine trusts the API' : `the API is not served on ${host}`;
  const hint = 'give a newer one, and start taskroom up again';
  return new RoomError('unavailable', `${ended}: ${so}; this machine reaches it, and tasks go on`, hint);
}
