import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';

let server: Server;
let proxy: FaultProxy;
let acted = 0;
beforeEach(async () => {
  acted = 0;
  server = createServer((request, response) => {
    acted += 1;
    response.writeHead(200, { 'content-type': 'application/json', date: 'Fri, 20 Nov 2026 10:00:00 GMT' });
    response.end(JSON.stringify([request.url, acted]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const get = (path = '/x') => fetch(`${proxy.url}${path}`, { method: 'POST', body: 'words' });
const statusUnder = async (fault: Fault) => {
  proxy.once(fault);
  return (await get()).status;
};

it('hands on what is asked and answered', async () => {
  expect(await (await get('/a?b=1')).json()).toEqual(['/a?b=1', 1]);
  expect(proxy.asked[0]).toMatchObject({ method: 'POST', path: '/a?b=1', body: 'words' });
});

it('refuses in a server’s place, once', async () => {
  expect(await statusUnder({ kind: 'status', status: 502 })).toBe(502);
  expect(await statusUnder({ kind: 'secondary', retryAfterSec: 3 })).toBe(403);
  expect(await statusUnder({ kind: 'linear_limited', resetAtMs: 5 })).toBe(400);
  proxy.once({ kind: 'too_many', retryAfterSec: 9 });
  expect((await get()).headers.get('retry-after')).toBe('9');
  expect(acted).toBe(0);
  expect((await get()).status).toBe(200);
});

it('cuts the line before or after the server acted', async () => {
  proxy.once({ kind: 'cut_before' });
  await expect(get()).rejects.toThrow('fetch failed');
  expect(acted).toBe(0);
  proxy.once({ kind: 'cut_after' });
  await expect(get()).rejects.toThrow('fetch failed');
  expect(acted).toBe(1);
});

it('cuts an answer short, repeats the last one, moves its clock', async () => {
  await get('/page?n=1');
  proxy.once({ kind: 'duplicated' });
  expect(await (await get('/page?n=2')).json()).toEqual(['/page?n=1', 1]);
  proxy.once({ kind: 'truncated' });
  await expect((await get()).json()).rejects.toThrow(SyntaxError);
  proxy.once({ kind: 'clock', offsetMs: 600_000 });
  expect((await get()).headers.get('date')).toBe('Fri, 20 Nov 2026 10:10:00 GMT');
});

it('lets an answer stall until the client gives up', async () => {
  const stop = new AbortController();
  proxy.once({ kind: 'stall' });
  const response = await fetch(`${proxy.url}/x`, { signal: stop.signal });
  const reader = response.body!.getReader();
  expect((await reader.read()).value?.length).toBeGreaterThan(0);
  stop.abort();
  await expect(reader.read()).rejects.toThrow();
});

it('runs hooks around the server, on requests that fit, until told otherwise', async () => {
  const seen: string[] = [];
  const stop = proxy.always(
    { kind: 'before', run: ({ path }) => void seen.push(`before ${path} ${acted}`) },
    ({ path }) => path === '/a',
  );
  proxy.once({
    kind: 'after',
    run: ({ path }, { status }) => void seen.push(`after ${path} ${status} ${acted}`),
  });
  await get('/a');
  await get('/b');
  await get('/a');
  stop();
  await get('/a');
  expect(seen).toEqual(['before /a 0', 'after /a 200 1', 'before /a 2']);
});

it('uses up one deciding fault a request', async () => {
  proxy.once({ kind: 'status', status: 500 });
  proxy.once({ kind: 'cut_before' });
  expect((await get()).status).toBe(500);
  expect(proxy.waiting()).toBe(1);
  await expect(get()).rejects.toThrow();
});
