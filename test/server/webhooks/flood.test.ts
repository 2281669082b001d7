// Very many deliveries at once, and bytes of every kind.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAllAsync } from '../../support/for-all.ts';
import { ISSUE, openHookRoom } from './hook-room.ts';

test('a burst of a thousand deliveries is taken whole', async () => {
  const { github, told, counted } = await openHookRoom();
  const bodies = Array.from({ length: 1_000 }, (_, at) =>
    ISSUE.replace('"number":1,', `"number":${at + 1},`),
  );
  const answers = await Promise.all(bodies.map((body) => github(body)));
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(new Set(told.map(({ ref }) => ref)).size).toBe(1_000);
  expect(counted()).toEqual({ 'github web issues.edited': 1_000 });
});

test('whatever bytes come in, the answer is a refusal, and never that something broke', async () => {
  const { raw, told } = await openHookRoom();
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
