// The listener of webhooks by raw requests: what is taken, what is refused and how, and what each is counted as.
import { once } from 'node:events';
import { connect } from 'node:net';
import { sign } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readListening } from '../../../src/chores/due.ts';
import type { TaskId } from '../../../src/core/ids.ts';
import { listen } from '../../../src/server/webhooks.ts';
import { NO_TALK } from '../../../src/store/ledger/mirrors/outbox.ts';
import { forAllAsync } from '../../support/for-all.ts';
import { forEachTest } from '../../support/for-each-test.ts';
import { GITHUB_PAYLOADS } from '../../support/github-payloads.ts';
import { openTestRoom } from '../../tasks/test-room.ts';
import { createReceiver, GITHUB_SECRET, ISSUE, openHookRoom } from './hook-room.ts';

const hooks = forEachTest(() => openHookRoom());

test('signed deliveries are taken, told with the name alone, and counted for the chore they concern', async () => {
  expect(await hooks.github(ISSUE)).toBe(200);
  expect(await hooks.github(ISSUE)).toBe(200);
  expect(await hooks.github('{"zen":"Anything added dilutes everything else."}', GITHUB_SECRET, 'ping')).toBe(
    200,
  );
  expect(await hooks.linear(0)).toBe(200);
  expect(await hooks.linear(0, 'OPS-7')).toBe(200);
  expect(hooks.told).toEqual([
    { provider: 'github', ref: 'Codertocat/Hello-World#1' },
    { provider: 'github', ref: 'Codertocat/Hello-World#1' },
    { provider: 'linear', ref: 'ENG-42' },
    { provider: 'linear', ref: 'OPS-7' },
  ]);
  expect(readListening(hooks.room.deps.ledger)).toMatchObject({
    address: hooks.listener.address,
    hears: ['github', 'linear'],
  });
  expect(hooks.counted()).toEqual({
    'github web issues.edited': 2,
    'github  ping': 1,
    'linear web Issue.update': 1,
    'linear  Issue.update': 1,
  });
  expect(readListening(hooks.room.deps.ledger)).toBe(null);
  expect(hooks.room.deps.ledger.webhooks.marks('web').heardAt).not.toBe(null);
});

test('what is said of the pull request of a task is told for that task, by people and by checks alike', async () => {
  const { pulls } = hooks.room.deps.ledger;
  // Of Codertocat/Hello-World, as GitHub's examples have it.
  const about = { provider: 'github', source: 'codertocat/hello-world', number: 2, uid: 'PR_1', name: '' };
  const seen = { state: 'open' } as Parameters<typeof pulls.put>[0]['seen'];
  pulls.put({ ...about, task: 'aaaaaaaaaa' as TaskId, seen, talk: NO_TALK });
  for (const event of ['pull_request', 'pull_request_review', 'pull_request_review_comment', 'check_suite']) {
    const { examples } = GITHUB_PAYLOADS.find(({ name }) => name === event)!;
    expect(await hooks.github(JSON.stringify(examples[0]), GITHUB_SECRET, event)).toBe(200);
    const told = hooks.told.splice(0).filter(({ provider }) => provider === 'pull request');
    expect(told, event).toEqual([{ provider: 'pull request', ref: 'aaaaaaaaaa' }]);
  }
  const other = JSON.stringify(GITHUB_PAYLOADS.find(({ name }) => name === 'push')!.examples[0]);
  await hooks.github(other, GITHUB_SECRET, 'push');
  expect(hooks.told).toEqual([]);
});

test('what is not signed, signed otherwise, old, no JSON or too large is refused, and told to nobody', async () => {
  expect(await hooks.post('/hooks/github', ISSUE)).toBe(401);
  expect(await hooks.post('/hooks/linear', ISSUE)).toBe(401);
  expect(await hooks.github(ISSUE, 'another secret')).toBe(401);
  expect(await hooks.github('[broken')).toBe(400);
  expect(await hooks.linear(61_000)).toBe(401);
  const signature = await sign(GITHUB_SECRET, ISSUE);
  const signed = { 'x-hub-signature-256': signature };
  expect(
    await hooks.post('/hooks/github', `payload=${encodeURIComponent(ISSUE)}`, {
      ...signed,
      'content-type': 'application/x-www-form-urlencoded',
    }),
  ).toBe(415);
  expect(await hooks.post('/hooks/github', ISSUE, { ...signed, 'content-encoding': 'gzip' })).toBe(415);
  // A signature that stands twice is none.
  expect(
    await hooks.post('/hooks/github', ISSUE, { 'x-hub-signature-256': `${signature}, ${signature}` }),
  ).toBe(401);
  const length = 5 * 2 ** 20 + 1;
  expect(
    await hooks.raw(
      `POST /hooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    ),
  ).toBe(413);
  expect(hooks.told).toEqual([]);
  expect(hooks.counted()).toEqual({
    ...{ 'github  refused:unsigned': 1, 'github  refused:wrong_signature': 2 },
    ...{ 'github  refused:malformed': 1, 'github  refused:not_json': 2, 'github  refused:too_large': 1 },
    ...{ 'linear  refused:unsigned': 1, 'linear  refused:old': 1 },
  });
});

test('a body without a length is read to its bound and no further', async () => {
  const head = 'POST /hooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const part = `${(2 ** 20).toString(16)}\r\n${'x'.repeat(2 ** 20)}\r\n`;
  // Six parts of a megabyte, and no end: what is sent is all that there ever is.
  expect(await hooks.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${part.repeat(6)}`)).toBe(413);
  expect(hooks.counted()).toEqual({ 'github  refused:too_large': 1 });
});

test('nothing else is there, whatever the method, the path or the host', async () => {
  for (const path of [
    ...['/', '/hooks', '/hooks/', '/hooks/github/', '/hooks/github?a', '/hooks/GitHub'],
    ...['/hooks/taskwarrior', '/api/tasks', '/hooks/__proto__', '//hooks/github'],
  ])
    expect(await hooks.post(path, ISSUE), path).toBe(404);
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const response = await fetch(`${hooks.listener.address}/hooks/github`, { method });
    expect([response.status, response.headers.get('allow')], method).toEqual([405, 'POST']);
  }
  // A proxy's form of the same address.
  expect(
    await hooks.raw('POST http://evil.example/hooks/github HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
  ).toBe(415);
  expect(await hooks.raw('GARBAGE\r\n\r\n')).toBe(400);
  expect(await hooks.raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)).toBe(431);
  // Whose port is reached by whatever name: the signature stands for it.
  const body = ISSUE;
  const head = `X-GitHub-Event: issues\r\nX-Hub-Signature-256: ${await sign(GITHUB_SECRET, body)}`;
  expect(
    await hooks.raw(
      `POST /hooks/github HTTP/1.1\r\nHost: my-tunnel.example\r\n${head}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  ).toBe(200);
  expect(hooks.told).toHaveLength(1);
});

test('a tracker whose secret is not set has no path', () => {
  const receiver = createReceiver(openTestRoom(), { HOOK_GITHUB: ' ', HOOK_OTHER: 'x' });
  expect([receiver.sourceOf('github'), receiver.sourceOf('linear')]).toEqual([null, null]);
});

test('a delivery that began is answered when the listener closes', async () => {
  const own = await listen(hooks.receiver, { host: '127.0.0.1', port: 0 }, (bug) =>
    expect.unreachable(String(bug)),
  );
  const signature = await sign(GITHUB_SECRET, ISSUE);
  const port = Number(new URL(own.address).port);
  const socket = connect(port, '127.0.0.1');
  const head = `POST /hooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: issues\r\nX-Hub-Signature-256: ${signature}\r\nContent-Length: ${Buffer.byteLength(ISSUE)}\r\nExpect: 100-continue\r\n\r\n`;
  socket.write(head);
  // The server says that it began to read.
  await once(socket, 'data');
  const closed = own.close();
  // New ones are refused by then, however many.
  const refused = () => expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  await Promise.all(Array.from({ length: 50 }, refused));
  socket.write(ISSUE);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
  await closed;
});

// Very many deliveries at once, and bytes of every kind.
test('a burst of a thousand deliveries is taken whole', async () => {
  const { github, told, counted } = hooks;
  const bodies = Array.from({ length: 1_000 }, (_, at) =>
    ISSUE.replace('"number":1,', `"number":${at + 1},`),
  );
  const answers = await Promise.all(bodies.map((body) => github(body)));
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(new Set(told.map(({ ref }) => ref)).size).toBe(1_000);
  expect(counted()).toEqual({ 'github web issues.edited': 1_000 });
});

test('whatever bytes come in, the answer is a refusal, and never that something broke', async () => {
  const { raw, told } = hooks;
  const word = fc.oneof(
    fc.constantFrom('/hooks/github', '/hooks/linear', '/hooks/%67ithub', '*'),
    fc.webPath(),
  );
  const header = fc.constantFrom(
    'x-hub-signature-256',
    'linear-signature',
    'x-github-event',
    'transfer-encoding',
    'content-length',
  );
  await forAllAsync(
    60,
    fc.constantFrom('POST', 'GET', 'PUT', 'HEAD'),
    word,
    fc.array(fc.tuple(header, fc.stringMatching(/^[!-~]{0,80}$/)), { maxLength: 3 }),
    fc.string({ maxLength: 200 }),
    async (method, path, headers, body) => {
      const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const bytes = `${method} ${path || '/'} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      const status = await raw(bytes);
      expect([400, 401, 404, 405, 413, null]).toContain(status);
    },
  );
  expect(told).toEqual([]);
});
