// Whatever is sent, the answer is the sender's fault or none: never a bug (500), never a broken connection, never a word of a
// file to whoever has no token.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../src/server/routes.ts';
import { forAllAsync } from '../support/for-all.ts';
import { room } from './one-room.ts';

const SECRET = 'nobody-without-token-reads-this';
beforeAll(() => {
  room.save('One.md', `---\nid: one11111\nstatus: todo\n---\n${SECRET}\n\n## Steps\n- [ ] First\n`);
});

// What ends or waits on purpose, and what answers without end.
const LEFT_OUT = /\/follow$|\/api\/events$|\/api\/stop$|\/api\/sync$|syncChore$/;
const PATHS = ROUTES.filter(({ path }) => !LEFT_OUT.test(path));

const word = fc.oneof(
  fc.constantFrom(
    ...['One', 'one11111', '..', '%2e%2e%2f', '.', '', '%', '%zz', '%00', '\u202e', '__proto__'],
    ...['constructor', '-1', '1e9'],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    ...['One', 'one11111', 'done', 'todo', '', null, true, -1, [], {}],
    ...[Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER],
  ),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const NAMES = [
  ...['ref', 'text', 'title', 'name', 'body', 'status', 'labels', 'keys', 'changes', 'task', 'filter'],
  ...['limit', 'offset', 'index', 'done', 'details', 'by', 'kind', 'value', 'label', 'step', 'steps', 'plan'],
  ...['question', 'key', 'force', 'turn', 'access', 'tasks', 'expires_at', 'only', 'reason', 'outcome'],
  ...['__proto__', 'toString'],
];
const body = fc.oneof(
  fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 10 })), value, { maxKeys: 6 }),
  value,
);

/** A path that `fetch` takes as it is. */
function fill(path: string, words: readonly string[]): string {
  let at = 0;
  return path.replaceAll(/:\w+/g, () => encodeOnce(words[at++ % words.length]!));
}

function encodeOnce(text: string): string {
  if (/^[\w%.-]+$/.test(text)) return text;
  return encodeURIComponent(text.toWellFormed());
}

async function assertNoBug(method: string, path: string, asked: object): Promise<void> {
  const { status, body: said } = await room.ask(method, path, asked);
  if (status >= 500)
    expect(`${method} ${path} ${JSON.stringify(asked)} → ${status} ${JSON.stringify(said)}`).toBe('');
}

test('every route, with whatever names, queries and bodies', async () => {
  const request = fc.record({
    route: fc.constantFrom(...PATHS),
    words: fc.array(word, { minLength: 1, maxLength: 3 }),
    query: fc.dictionary(
      fc.oneof(
        fc.constantFrom('limit', 'offset', 'status', 'sort', 'wait', 'untold', 'types', 'task'),
        fc.string(),
      ),
      fc.string({ maxLength: 12 }),
      { maxKeys: 3 },
    ),
    body,
  });
  await forAllAsync(400, request, async ({ route: { method, path }, words, query, body: sent }) => {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, text]): [string, string] => [name, text.toWellFormed()]),
    );
    const address = `${fill(path, words)}${Object.keys(query).length === 0 ? '' : `?${search}`}`;
    await assertNoBug(method.toUpperCase(), address, method === 'get' ? {} : { body: sent ?? null });
  });
}, 120_000);

test('bodies that are no JSON, or JSON of another kind than UTF-8', async () => {
  const json = { 'content-type': 'application/json' };
  for (const text of ['', '{', '[]', 'null', '"x"', '{"a":1}}', `{"a":${'['.repeat(5000)}`, '\ud800'])
    for (const path of ['/api/tasks', '/api/tasks/One/comment', '/mcp'])
      await assertNoBug('POST', path, { headers: json, body: text });
  const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
  const head = `POST /api/tasks HTTP/1.1\r\nhost: 127.0.0.1:${room.port}\r\nauthorization: Bearer ${room.token}\r\ncontent-type: application/json\r\ncontent-length: 4\r\nconnection: close\r\n\r\n`;
  expect(await room.raw(Buffer.concat([Buffer.from(head), bytes]))).toMatch(/^HTTP\/1\.1 400 /);
});

test('requests as no client would write them', async () => {
  const host = `host: 127.0.0.1:${room.port}\r\nconnection: close\r\n`;
  const token = `authorization: Bearer ${room.token}\r\n`;
  const odd = [
    `GET /api/tasks/../../etc/passwd HTTP/1.1\r\n${host}${token}\r\n`,
    `GET //api//tasks HTTP/1.1\r\n${host}${token}\r\n`,
    `GET /api/tasks/%c0%ae%c0%ae HTTP/1.1\r\n${host}${token}\r\n`,
    `GET http://evil.example/api/tasks HTTP/1.1\r\n${host}\r\n`,
    `GET * HTTP/1.1\r\n${host}${token}\r\n`,
    `CONNECT evil.example:443 HTTP/1.1\r\n${host}${token}\r\n`,
    `TRACE /api/tasks HTTP/1.1\r\n${host}${token}\r\n`,
    `PURGE /api/tasks HTTP/1.1\r\n${host}${token}\r\n`,
    `GET /api/tasks HTTP/9.9\r\n${host}${token}\r\n`,
    `GET /api/tasks?${'a=1&'.repeat(3000)} HTTP/1.1\r\n${host}${token}\r\n`,
    `GET /api/tasks HTTP/1.1\r\n${host}${'x-many: 1\r\n'.repeat(500)}${token}\r\n`,
    `GET /api/tasks HTTP/1.1\r\n${host}${token}x-odd: \u0001\r\n\r\n`,
    `GET /api/tasks HTTP/1.1\r\n${host}${token}upgrade: websocket\r\nconnection: upgrade\r\n\r\n`,
    '\u0016\u0003\u0001\u0002\u0000hello',
  ];
  for (const text of odd) {
    const said = await room.raw(text);
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0);
    expect(status, text.slice(0, 60)).toBeLessThan(500);
  }
});

test('without a token, whatever is sent, nothing of a file is said', async () => {
  await forAllAsync(
    100,
    fc.constantFrom(...PATHS),
    fc.array(word, { minLength: 1, maxLength: 3 }),
    body,
    async (route, words, sent) => {
      const asked = route.method === 'get' ? { token: null } : { token: null, body: sent ?? null };
      const { status, body: said } = await room.ask(
        route.method.toUpperCase(),
        fill(route.path, words),
        asked,
      );
      expect([401, 404, 413]).toContain(status);
      expect(JSON.stringify(said)).not.toContain(SECRET);
    },
  );
}, 60_000);
