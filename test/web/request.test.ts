// Answers as they come when the room goes away meanwhile: a failure the page shows, never an error of the page itself.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError, ask } from '../../src/web/api/request.ts';

let server: Server;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"tasks":[');
    setImmediate(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

test('an answer that breaks off', async () => {
  await expect(ask(url())).rejects.toSatisfy((error) => error instanceof ApiError && error.status === 0);
});

test('nobody who answers', async () => {
  const gone = url().replace(/:\d+/, ':1');
  await expect(ask(gone)).rejects.toSatisfy((error) => error instanceof ApiError && error.status === 0);
});
