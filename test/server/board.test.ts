// The board as it is served: to whom, with which headers, and what a person sees who has no session.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { forAllTests } from '../support/for-each-test.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { serveRoom } from './served-room.ts';

const SCRIPT = `console.log(${JSON.stringify('board '.repeat(400))});\n`;
const built = tempFolder('taskroom-board');
const room = forAllTests(() => serveRoom({}, built));

const page = (path: string, headers: Record<string, string> = {}, token: string | null = room.token) =>
  fetch(`${room.url}${path}`, {
    redirect: 'manual',
    headers: {
      accept: 'text/html',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });

test('a tree without a built board says so, and takes it up once it is there', async () => {
  const missing = await page('/');
  expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await missing.text()).toContain('npm run build');
  mkdirSync(join(built, 'assets'));
  writeFileSync(
    join(built, 'index.html'),
    '<!doctype html><script src="/assets/board-1f3a9c2e.js"></script>',
  );
  writeFileSync(join(built, 'assets/board-1f3a9c2e.js'), SCRIPT);
  writeFileSync(join(built, 'assets/board-1f3a9c2e.js.map'), '{}');
  writeFileSync(join(built, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  expect((await page('/')).status).toBe(200);
});

test('the page may load what comes from here and nothing else, and is asked for anew each time', async () => {
  const { status, headers } = await page('/');
  expect(status).toBe(200);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("style-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('x-frame-options')).toBe('DENY');
  const again = await page('/', { 'if-none-match': headers.get('etag') ?? '' });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('what bears a hash is cached for ever, and is compressed as the browser takes it', async () => {
  const path = '/assets/board-1f3a9c2e.js';
  const raw = async (accepted: string) => {
    const said = await room.raw(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${room.port}\r\nAuthorization: Bearer ${room.token}\r\nAccept-Encoding: ${accepted}\r\nConnection: close\r\n\r\n`,
    );
    return said.slice(0, said.indexOf('\r\n\r\n')).toLowerCase();
  };
  expect(await raw('gzip, deflate, br')).toContain('content-encoding: br');
  expect(await raw('gzip;q=1.0, br;q=0')).toContain('content-encoding: gzip');
  const plain = await raw('identity');
  expect(plain).not.toContain('content-encoding');
  expect(plain).toContain('cache-control: private, max-age=31536000, immutable');
  expect(plain).toContain('content-type: text/javascript');
  expect(await (await page(path)).text()).toBe(SCRIPT);
  expect([brotliDecompressSync, gunzipSync].length).toBe(2);
  expect((await page('/icon.svg')).headers.get('cache-control')).toBe('private, no-cache');
});

test('nothing but its files is served', async () => {
  for (const path of [
    ...['/assets/board-1f3a9c2e.js.map', '/assets/', '/../room.yaml', '/%2e%2e/room.yaml'],
    ...['/assets/..%2f..%2froom.yaml', '/index.htm', '/index.html', '/%00', '/%ff'],
  ])
    expect([path, (await page(path)).status]).toEqual([path, 404]);
  expect((await page('/', {}, room.token)).status).toBe(200);
});

test('without a session the page shows how to get in, and its parts are refused', async () => {
  const locked = await page('/', {}, null);
  expect(locked.status).toBe(401);
  expect(await locked.text()).toContain('taskroom open');
  expect(locked.headers.get('content-security-policy')).toMatch(/style-src 'sha256-/);
  for (const path of ['/assets/board-1f3a9c2e.js', '/icon.svg', '/none'])
    expect([path, (await page(path, {}, null)).status]).toEqual([path, 401]);
  expect((await page('/', {}, 'tskr_wrong')).status).toBe(401);
  const rebound = await room.raw(
    `GET / HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${room.token}\r\nConnection: close\r\n\r\n`,
  );
  expect(rebound).toMatch(/^HTTP\/1.1 421 /);
  // A link from elsewhere leads to the page; a script of elsewhere gets none of its parts.
  expect((await page('/', { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  expect((await page('/icon.svg', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
});

test('a one-time link leads to the board, and once more for the browser that it let in', async () => {
  const { body } = await room.ask('POST', '/api/links');
  const path = (body as { url: string }).url.slice(room.url.length);
  const first = await page(path, {}, null);
  expect([first.status, first.headers.get('location')]).toEqual([303, '/']);
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await page('/', { cookie }, null)).status).toBe(200);
  expect((await page('/assets/board-1f3a9c2e.js', { cookie }, null)).status).toBe(200);
  expect((await page(path, { cookie }, null)).headers.get('location')).toBe('/');
  const used = await page(path, {}, null);
  expect(used.status).toBe(403);
  expect(await used.text()).toContain('was used');
});
