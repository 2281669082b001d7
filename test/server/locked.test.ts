// The lock of the API, by the very bytes that reach it: whoever has no token, comes under a foreign name, from a foreign
// page, or with too much, is refused.
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { answerMcp } from '../../src/mcp/serve-mcp.ts';
import { createNodeEffects } from '../../src/node.ts';
import { createHttpSend } from '../../src/remote/http-way.ts';
import { listenTcp } from '../../src/server/listeners.ts';
import { prepareApi } from '../../src/server/serve.ts';
import { room } from './one-room.ts';
import { serveRoom } from './served-room.ts';

beforeAll(() => {
  room.save('One.md', '---\nid: one11111\nstatus: todo\n---\nDo it.\n');
  room.save('Two.md', '---\nid: two22222\nstatus: todo\n---\nDo it too.\n');
});

const statusOf = (said: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1]);

/** One request as it stands on the wire. */
function lines(method: string, path: string, headers: Record<string, string>, body = ''): string {
  const all = {
    host: `127.0.0.1:${room.port}`,
    authorization: `Bearer ${room.token}`,
    connection: 'close',
    ...headers,
  };
  const written = Object.entries(all).filter(([, value]) => value !== '');
  return `${method} ${path} HTTP/1.1\r\n${written.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

const own = () => `127.0.0.1:${room.port}`;

test('the address of a proxy with TLS is an origin of the room, and a bare name has the scheme of the server', async () => {
  const names = ['https://room.example:8443', 'Build.example'];
  const served = await serveRoom({ names });
  const ask = async (host: string, origin: string) => {
    const headers = { host, origin, authorization: `Bearer ${served.token}`, connection: 'close' };
    const written = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const said = await served.raw(`POST /api/links HTTP/1.1\r\n${written.join('')}\r\n`);
    return [statusOf(said), /"url":"(.*?)\/open/.exec(said)?.[1] ?? /"hint":"(.*?)"/.exec(said)?.[1]];
  };
  onTestFinished(() => served.close());

  const outside = 'https://room.example:8443';
  expect(await ask('room.example:8443', outside)).toEqual([201, outside]);
  // As a proxy says it that leaves the port out, or gives its own.
  expect(await ask('room.example', outside)).toEqual([201, outside]);
  expect(await ask('build.example', 'http://build.example')).toEqual([201, 'http://build.example']);
  const here = `127.0.0.1:${served.port}`;
  expect(await ask(here, `http://${here}`)).toEqual([201, `http://${here}`]);
  expect((await ask('room.example:8443', 'http://room.example:8443'))[0]).toBe(403);
  expect((await ask('room.example:8443', `http://${here}`))[0]).toBe(403);
  // One that passes no Host on is told what to do.
  expect(await ask(here, outside)).toEqual([403, expect.stringContaining('passes the Host header on')]);
  expect((await ask('evil.example', 'https://evil.example'))[0]).toBe(421);
});

test.each(['https://room.example/path', 'ftp://room.example', 'https://me@room.example', 'a b', ''])(
  'a name that is neither a name nor an address is refused before anything listens: %j',
  async (name) => {
    const usual = { host: '127.0.0.1', port: 0, tls: null, withoutTls: false };
    const preparing = prepareApi(
      { tcp: { ...usual, names: [name] }, version: '0', boardDir: null },
      answerMcp,
    );
    await expect(preparing).rejects.toMatchObject({ code: 'bad_input' });
  },
);

test('the same request without any of these is answered', async () => {
  expect(statusOf(await room.raw(lines('GET', '/api/tasks', {})))).toBe(200);
  expect(statusOf(await room.raw(lines('GET', '/api/tasks', { host: `localhost:${room.port}` })))).toBe(200);
  expect(statusOf(await room.raw(lines('GET', '/api/tasks', { origin: `http://${own()}` })))).toBe(200);
});

describe('refused', () => {
  const cases: [string, number, string, Record<string, string>][] = [
    ['no token', 401, '/api/tasks', { authorization: '' }],
    ['a token of nobody', 401, '/api/tasks', { authorization: `Bearer tskr_${'A'.repeat(43)}` }],
    ['a long token', 401, '/api/tasks', { authorization: `Bearer ${'A'.repeat(5000)}` }],
    ['another scheme', 401, '/api/tasks', { authorization: 'Basic cGVyc29uOg==' }],
    ['no token, an address that is not there', 401, '/nothing', { authorization: '' }],
    ['no token, the figures', 401, '/metrics', { authorization: '' }],
    ['no token, the document', 401, '/api/openapi.json', { authorization: '' }],
    ['the token in the address', 401, '/api/tasks?token=TOKEN', { authorization: '' }],
    ['the token in a cookie', 401, '/api/tasks', { authorization: '', cookie: 'taskroom-ROOM=TOKEN' }],
    ['a foreign Host', 421, '/api/tasks', { host: 'evil.example' }],
    ['a foreign Host with our port', 421, '/api/tasks', { host: 'evil.example:PORT' }],
    ['our Host with a foreign port', 421, '/api/tasks', { host: '127.0.0.1:1' }],
    ['a Host that only begins like ours', 421, '/api/tasks', { host: '127.0.0.1.evil.example:PORT' }],
    ['a foreign Host, without token', 421, '/healthz', { host: 'evil.example', authorization: '' }],
    ['a foreign page', 403, '/api/tasks', { origin: 'https://evil.example' }],
    ['a page without origin', 403, '/api/tasks', { origin: 'null' }],
    ['a page of our name by another scheme', 403, '/api/tasks', { origin: 'https://127.0.0.1:PORT' }],
    ['a page of another port here', 403, '/api/tasks', { origin: 'http://127.0.0.1:1' }],
    ['what a browser says is cross-site', 403, '/api/tasks', { 'sec-fetch-site': 'cross-site' }],
    ['what a browser says is same-site', 403, '/api/tasks', { 'sec-fetch-site': 'same-site' }],
    ['very long headers', 431, '/api/tasks', { 'x-long': 'x'.repeat(20_000) }],
  ];
  test.each(cases)('%s', async (_name, status, path, headers) => {
    const { roomId } = await room.runtime.api();
    const fill = (text: string) =>
      text.replace('TOKEN', room.token).replace('PORT', String(room.port)).replace('ROOM', roomId);
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
    const said = await room.raw(lines('GET', fill(path), filled));
    expect(statusOf(said)).toBe(status);
    expect(said).not.toContain('One.md');
    // No page of elsewhere is ever let in.
    expect(said.toLowerCase()).not.toContain('access-control-allow');
  });

  test('no Host, or two of them', async () => {
    expect(statusOf(await room.raw(lines('GET', '/api/tasks', { host: '' })))).toBe(400);
    const two = lines('GET', '/api/tasks', {}).replace(
      'connection: close',
      'host: evil.example\r\nconnection: close',
    );
    expect([400, 421]).toContain(statusOf(await room.raw(two)));
  });

  test('a preflight of a foreign page', async () => {
    const headers = {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      authorization: '',
    };
    const said = await room.raw(lines('OPTIONS', '/api/tasks', headers));
    expect(statusOf(said)).toBe(403);
    expect(said.toLowerCase()).not.toContain('access-control-allow');
  });

  test('a form of a foreign page, and a body that is not said to be JSON', async () => {
    const body = 'title=x';
    const form = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    };
    expect(
      statusOf(
        await room.raw(lines('POST', '/api/tasks', { ...form, origin: 'https://evil.example' }, body)),
      ),
    ).toBe(403);
    expect(statusOf(await room.raw(lines('POST', '/api/tasks', form, body)))).toBe(415);
  });

  test('a body that is said to be too long, and one that is', async () => {
    const json = { 'content-type': 'application/json' };
    const said = await room.raw(lines('POST', '/api/tasks', { ...json, 'content-length': '99999999' }, '{'));
    expect(statusOf(said)).toBe(413);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`.repeat(20);
    const chunked = await room.raw(
      lines('POST', '/api/tasks', { ...json, 'transfer-encoding': 'chunked' }, chunk),
    );
    expect(statusOf(chunked)).toBe(413);
  });

  test('two lengths, and a length beside chunks', async () => {
    const two = lines('POST', '/api/tasks', { 'content-length': '2' }, '{}').replace(
      'connection',
      'content-length: 3\r\nconnection',
    );
    expect(statusOf(await room.raw(two))).toBe(400);
    const both = { 'content-length': '2', 'transfer-encoding': 'chunked' };
    expect(statusOf(await room.raw(lines('POST', '/api/tasks', both, '0\r\n\r\n')))).toBe(400);
  });
});

test('the socket is its owner’s alone, and asks for the token as well', async () => {
  expect(statSync(room.socketPath).mode & 0o777).toBe(0o600);
  expect(await overSocket({})).toBe(401);
  expect(await overSocket({ authorization: `Bearer ${room.token}` })).toBe(200);
  expect(await overSocket({ authorization: `Bearer ${room.token}`, origin: 'https://evil.example' })).toBe(
    403,
  );
});

function overSocket(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({
      socketPath: room.socketPath,
      path: '/api/tasks',
      headers: { host: 'room', ...headers },
    });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });
}

test('the token lies in a file of its owner alone, and is nowhere in the ledger', () => {
  const path = `${room.dir}/.taskroom/token`;
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(room.read('.taskroom/token').trim()).toBe(room.token);
  for (const name of ['ledger.db', 'ledger.db-wal'])
    expect(room.read(`.taskroom/${name}`).includes(room.token)).toBe(false);
});

test('a room that is being opened says so, as every failure of the API', async () => {
  const listener = await listenTcp('127.0.0.1', 0, null, () => {});
  onTestFinished(() => listener.close());

  const url = `http://127.0.0.1:${listener.port}`;
  const send = createHttpSend({ url, token: 'tskr_x' }, createNodeEffects({}));
  const message = 'the room is being opened';
  await expect(send('status', {})).rejects.toMatchObject({ code: 'unavailable', message });
});
