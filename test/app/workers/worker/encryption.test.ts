// Ways that others could read are refused before a byte goes out, or asked for by an explicit word: to the host, and to PostgreSQL.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPgBossQueue } from '../../../../src/app/workers/queue/pg-boss-queue.ts';
import { queueAddress } from '../../../../src/app/workers/queue/queue-address.ts';
import { createHost } from '../../../../src/app/workers/worker/host.ts';
import { isLoopback } from '../../../../src/core/loopback.ts';
import { createNodeEffects } from '../../../../src/node.ts';
import { isSecureAddress } from '../../../../src/providers/tracker-rules.ts';
import { certificatesIn } from '../../../support/certificates.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { failureOf } from '../../../tasks/test-room.ts';

const effects = createNodeEffects({});
const SECRET = 'a-password-of-the-queue';

let server: Server;
let sockets: Socket[];
let heard: string;
let answer: (socket: Socket, said: Buffer) => void;

beforeEach(async () => {
  [sockets, heard] = [[], ''];
  answer = (socket) => socket.destroy();
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (said: Buffer) => {
      heard += said.toString('latin1');
      answer(socket, said);
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

const port = () => (server.address() as { port: number }).port;
/** An address of this machine that is not its own alone. */
const foreign = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

test('one rule tells what is this machine, for trackers, listeners, workers and the queue', () => {
  for (const host of ['localhost', '127.0.0.1', '127.255.255.254', '::1', '[::1]'])
    expect(isLoopback(host)).toBe(true);
  // A name that only looks like an address goes to whoever answers for it.
  for (const host of [
    '',
    '127.0.0.256',
    '127.0.0.1.',
    '127.0.0.1.evil.example',
    'a.localhost',
    '0.0.0.0',
    '::',
    '128.0.0.1',
    'xlocalhost',
  ])
    expect(isLoopback(host)).toBe(false);
  expect(isSecureAddress(new URL('http://127.9.9.9:1'))).toBe(true);
  expect(isSecureAddress(new URL('http://127.0.0.1.evil.example'))).toBe(false);
  const env = (url: string) => ({ env: { QUEUE: url } });
  expect(queueAddress('QUEUE', env('postgres://me@127.9.9.9/room'))).toContain('127.9.9.9');
  expect(() => queueAddress('QUEUE', env('postgres://me@127.0.0.256/room'))).toThrow(/encrypted/);
});

describe('the host', () => {
  const hostAt = (url: string, withoutTls = false) =>
    createHost({ url, token: 'tskr_secret', id: 'workerofthetest', effects, withoutTls });

  test.each([
    'http://build.example:7420',
    'http://127.0.0.1.evil.example',
    'http://10.0.0.7',
    'http://[fe80::1]',
    'http://localhost.evil.example',
    'http://[::ffff:8.8.8.8]',
  ])('%s is refused without the word', (url) => {
    expect(() => hostAt(url)).toThrow(/is not encrypted/);
    expect(() => hostAt(url, true)).not.toThrow();
  });

  test.each([
    'https://build.example',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://localhost:1',
    'http://[::1]:1',
  ])('%s needs no word', (url) => expect(() => hostAt(url)).not.toThrow());

  const hello = { id: 'workerofthetest', name: 'far', version: '1', slots: 1, agents: null };

  test.skipIf(foreign === undefined)('over a network nothing is sent without the word', async () => {
    const url = `http://${foreign}:${port()}`;
    expect(() => hostAt(url)).toThrow(/is not encrypted/);
    expect(sockets).toEqual([]);
    await failureOf(hostAt(url, true)('hello', hello));
    expect(heard).toContain('Bearer tskr_secret');
  });

  test('a token is not told to whoever speaks no TLS, or shows a certificate of nobody', async () => {
    expect(await failureOf(hostAt(`https://127.0.0.1:${port()}`)('hello', hello))).toMatchObject({
      code: 'unavailable',
    });
    expect(heard).not.toBe('');
    expect(heard).not.toContain('tskr_secret');
  });
});

describe('PostgreSQL', () => {
  const addressOf = (url: string, env: Record<string, string> = {}) =>
    queueAddress('ROOM_QUEUE', { env: { ROOM_QUEUE: url, ...env } });

  test.each([
    ['postgres://u:p@db.example/d', {}],
    ['postgres://u:p@db.example/d?sslmode=', {}],
    // The driver connects to the host among the parameters.
    ['postgres://u:p@localhost/d?host=db.example', {}],
    ['postgres://u:p@127.0.0.1/d?host=127.0.0.1&host=db.example', {}],
    ['postgres:///d', { PGHOST: 'db.example' }],
    ['postgres://u:p@127.0.0.1.evil.example/d', {}],
  ])('%s is refused, %j', (url, env: Record<string, string>) => {
    expect(() => addressOf(url, env)).toThrow(/without saying whether the connection is encrypted/);
  });

  test.each([
    ['postgres://u:p@db.example/d?sslmode=verify-full', {}],
    ['postgres://u:p@db.example/d?sslmode=disable', {}],
    ['postgres://u:p@localhost/d', { PGHOST: 'db.example' }],
    ['postgres://u:p@127.0.0.1/d', {}],
    ['postgres://u:p@[::1]/d', {}],
    ['postgres:///d?host=/var/run/postgresql', {}],
    ['postgres://%2Fvar%2Frun/d', {}],
  ])('%s is taken, %j', (url, env: Record<string, string>) => expect(addressOf(url, env)).toBe(url));

  async function connect(): Promise<void> {
    const url = `postgres://u:${SECRET}@127.0.0.1:${port()}/d?sslmode=verify-full`;
    const queue = createPgBossQueue({ url, room: 'r', role: 'worker', onTrouble: () => undefined });
    expect(await failureOf(queue.fetch(['coder'], 1))).toMatchObject({ code: 'unavailable' });
    await queue.close();
    expect(heard).not.toContain(SECRET);
  }

  test('one that speaks no TLS hears the question for it, and nothing else', async () => {
    answer = (socket) => void socket.write('N');
    await connect();
    // Length 8 and the number that stands for TLS, each time it tried.
    expect(heard.replaceAll('\0\0\0\x08\x04\xd2\x16/', '')).toBe('');
    expect(heard).not.toBe('');
  });

  test('one with a certificate of nobody hears no password', async () => {
    const dir = tempFolder('certificates');
    const { cert, key } = certificatesIn(dir).make('own', 'IP:127.0.0.1');
    const secure = { isServer: true, cert: readFileSync(cert), key: readFileSync(key) };
    answer = (socket) => {
      socket.removeAllListeners('data');
      socket.write('S');
      const inside = new TLSSocket(socket, secure);
      inside.on('error', () => undefined);
      inside.on('data', (said: Buffer) => {
        heard += said.toString('latin1');
      });
    };
    await connect();
  });
});
