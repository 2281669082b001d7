// The line that is cut loses what it says it loses, and nothing else.
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CutProxy, startCutProxy } from './cut-proxy.ts';

let server: Server;
let proxy: CutProxy;
let heard: string[];

beforeEach(async () => {
  heard = [];
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      heard.push(`${data}`);
      socket.write(`answer to ${data}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startCutProxy((server.address() as { port: number }).port);
});
afterEach(async () => {
  await proxy.close();
  server.close();
});

function connect(): Socket {
  return createConnection(proxy.port, '127.0.0.1').on('error', () => undefined);
}

/** What comes back; null where the connection ended before. */
async function ask(socket: Socket, text: string): Promise<string | null> {
  const answered = once(socket, 'data').then(([data]) => `${data}`);
  const ended = new Promise<null>((resolve) => socket.once('close', () => resolve(null)));
  socket.write(text);
  return Promise.race([answered.catch(() => null), ended]);
}

test('a request that is lost never arrives, and nobody gets through until the line is mended', async () => {
  const socket = connect();
  expect(await ask(socket, 'one')).toBe('answer to one');
  proxy.cut('request', 60_000);
  expect(await ask(socket, 'two')).toBeNull();
  expect(await ask(connect(), 'three')).toBeNull();
  proxy.mend();
  const again = connect();
  expect(await ask(again, 'four')).toBe('answer to four');
  again.destroy();
  expect(heard).toEqual(['one', 'four']);
  expect(proxy.made).toEqual({ request: 1, answer: 0, silence: 0 });
});

test('an answer that is lost was heard as a request', async () => {
  const socket = connect();
  proxy.cut('answer', 60_000);
  expect(await ask(socket, 'one')).toBeNull();
  expect(heard).toEqual(['one']);
  expect(proxy.made.answer).toBe(1);
});

test('what is said into a silence arrives when it is over', async () => {
  const socket = connect();
  expect(await ask(socket, 'one')).toBe('answer to one');
  proxy.cut('silence', 60_000);
  const answered = ask(socket, 'two');
  const late = ask(connect(), 'three');
  // Somebody else is served by the server meanwhile.
  const direct = createConnection((server.address() as { port: number }).port, '127.0.0.1');
  expect(await ask(direct, 'past it')).toBe('answer to past it');
  direct.end();
  await buffer(direct);
  expect(heard).toEqual(['one', 'past it']);
  proxy.mend();
  expect(await answered).toBe('answer to two');
  expect(await late).toBe('answer to three');
  socket.destroy();
});
