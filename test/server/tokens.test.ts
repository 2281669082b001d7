import { beforeEach, expect, test } from 'vitest';
import { room } from './each-room.ts';

beforeEach(() => {
  room.save('One.md', '---\nid: one11111\nstatus: todo\n---\nDo it.\n');
  room.save('Two.md', '---\nid: two22222\nstatus: done\n---\nDo it too.\n');
});

async function tokenFor(body: object): Promise<string> {
  const { status, body: made } = await room.ask('POST', '/api/tokens', { body });
  expect(status).toBe(201);
  return (made as { token: string }).token;
}

const statusOf = async (token: string, method: string, path: string, body?: object) =>
  (await room.ask(method, path, body === undefined ? { token } : { token, body })).status;

test('one that only looks changes nothing', async () => {
  const token = await tokenFor({ name: 'board', access: 'readonly' });
  for (const path of [
    ...['/api/tasks', '/api/tasks/One', '/api/turns', '/api/status', '/api/mirrors', '/metrics'],
  ])
    expect(await statusOf(token, 'GET', path), path).toBe(200);
  for (const path of [
    ...['/api/tasks', '/api/tasks/One/comment', '/api/tasks/One/run', '/api/links', '/api/tokens'],
    '/api/sync',
  ])
    expect(await statusOf(token, 'POST', path, {}), path).toBe(403);
  expect(await statusOf(token, 'GET', '/api/tasks?status=todo')).toBe(200);
  expect(await statusOf(token, 'POST', '/api/tasks/One/pause', {})).toBe(403);
  expect(await statusOf(token, 'GET', '/api/tokens')).toBe(403);
  expect(room.read('tasks/One.md')).not.toContain('paused');
});

test('one for a task has that task alone', async () => {
  const token = await tokenFor({ name: 'ci', access: 'assistant', tasks: ['One'] });
  expect(await statusOf(token, 'GET', '/api/tasks/one11111')).toBe(200);
  expect(await statusOf(token, 'POST', '/api/tasks/One/comment', { text: 'Green.' })).toBe(200);
  expect(room.read('tasks/One.md')).toContain('agent:ci');
  expect(await statusOf(token, 'POST', '/api/tasks/one1/comment', { text: 'Still green.' })).toBe(200);
  for (const path of ['/api/tasks', '/api/tasks/Two', '/api/turns', '/api/events', '/api/status', '/metrics'])
    expect(await statusOf(token, 'GET', path), path).toBe(403);
  expect(await statusOf(token, 'POST', '/api/tasks/Two/comment', { text: 'x' })).toBe(403);
  expect(await statusOf(token, 'POST', '/api/tasks', { title: 'New' })).toBe(403);
});

test('one of an assistant changes tasks, reopens none, and does nothing of the person’s', async () => {
  const token = await tokenFor({ name: 'helper', access: 'assistant' });
  expect(await statusOf(token, 'POST', '/api/tasks/One/complete', {})).toBe(200);
  expect(await statusOf(token, 'POST', '/api/tasks/Two/reopen', {})).toBe(403);
  expect(await statusOf(token, 'PATCH', '/api/tasks/Two', { status: 'todo' })).toBe(403);
  expect(await statusOf(token, 'POST', '/api/tasks/One/answer', { text: 'Yes.' })).toBe(403);
  expect(await statusOf(token, 'POST', '/api/stop', { pid: 1, since: 1, now: true })).toBe(403);
  expect(await statusOf(token, 'POST', '/api/tokens', { name: 'more', access: 'full' })).toBe(403);
});

test('who acts for the person by a model’s word may say so, and has no more than that', async () => {
  const headers = { 'x-taskroom-assistant': 'claude-code' };
  const ask = (path: string, body: object) => room.ask('POST', path, { headers, body });
  expect((await ask('/api/tasks/One/comment', { text: 'Seen.' })).status).toBe(200);
  expect(room.read('tasks/One.md')).toContain('agent:claude-code');
  expect((await ask('/api/tasks/Two/reopen', {})).status).toBe(403);
  expect((await ask('/api/tokens', { name: 'more', access: 'full' })).status).toBe(403);
  const forged = await room.ask('GET', '/api/tasks', { headers: { 'x-taskroom-assistant': 'person: x' } });
  expect(forged.status).toBe(400);
});

test('a revoked one and an expired one open nothing', async () => {
  const token = await tokenFor({ name: 'laptop', access: 'full' });
  expect(await statusOf(token, 'GET', '/api/tasks')).toBe(200);
  const { body } = await room.ask('GET', '/api/tokens');
  expect(
    (body as { tokens: { name: string; kind: string }[] }).tokens.map(({ name, kind }) => [name, kind]),
  ).toEqual([
    ['person', 'own'],
    ['laptop', 'given'],
  ]);
  expect(JSON.stringify(body)).not.toContain(token);
  expect((await room.ask('DELETE', '/api/tokens/laptop')).status).toBe(200);
  expect(await statusOf(token, 'GET', '/api/tasks')).toBe(401);
  const old = await tokenFor({ name: 'old', access: 'full', expires_at: '2020-01-01T00:00:00Z' });
  expect(await statusOf(old, 'GET', '/api/tasks')).toBe(401);
});

test.each([
  [{ name: 'x y', access: 'full' }],
  [{ name: 'a', access: 'all' }],
  [{ name: 'a', access: 'full', tasks: ['One'] }],
  [{ name: 'a', access: 'readonly', tasks: [] }],
  [{ name: 'person', access: 'full' }],
  [{ name: 'a' }],
])('no token is made of %j', async (body) => {
  expect((await room.ask('POST', '/api/tokens', { body })).status).toBe(400);
});

test('one that is asked for without an access is refused with the levels there are, one for some tasks is an assistant’s', async () => {
  const { status, body } = await room.ask('POST', '/api/tokens', { body: { name: 'laptop' } });
  expect([status, body]).toMatchObject([
    400,
    { code: 'bad_input', hint: expect.stringContaining('full, assistant, readonly, worker') },
  ]);
  const made = await room.ask('POST', '/api/tokens', { body: { name: 'ci', tasks: ['One'] } });
  expect([made.status, made.body]).toMatchObject([201, { access: 'assistant', tasks: ['one11111'] }]);
});

test('a link works once, and its session is a cookie of this room that scripts and other sites never get', async () => {
  const { status, body } = await room.ask('POST', '/api/links');
  expect(status).toBe(201);
  const { pathname, search, origin } = new URL((body as { url: string }).url);
  expect(origin).toBe(room.url);
  expect(search).not.toContain(room.token);
  // A chat program that looks ahead does not use it up.
  const ahead = await fetch(`${room.url}${pathname}${search}`, { method: 'HEAD' });
  expect([ahead.status, ahead.headers.get('set-cookie')]).toEqual([200, null]);
  const opened = await room.ask('GET', `${pathname}${search}`, { token: null });
  expect(opened.status).toBe(303);
  const cookie = opened.headers.get('set-cookie') ?? '';
  const { roomId } = await room.runtime.api();
  expect(cookie).toMatch(
    new RegExp(`^taskroom-${roomId}=tskr_[\\w-]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=\\d+$`),
  );
  expect((await room.ask('GET', `${pathname}${search}`, { token: null })).status).toBe(403);

  const session = { cookie: cookie.split(';')[0]! };
  const asked = (method: string, path: string, headers: Record<string, string>) =>
    room.ask(method, path, {
      token: null,
      headers: { ...session, ...headers },
      ...(method === 'GET' ? {} : { body: {} }),
    });
  expect((await asked('GET', '/api/tasks', {})).status).toBe(200);
  expect((await asked('POST', '/api/tasks/One/pause', {})).status).toBe(403);
  expect((await asked('POST', '/api/tasks/One/pause', { origin: 'http://evil.example' })).status).toBe(403);
  expect((await asked('POST', '/api/tasks/One/pause', { origin: room.url })).status).toBe(200);
  // The session is the browser's: as a token of a program it is none.
  const asToken = session.cookie.split('=')[1]!;
  expect(await statusOf(asToken, 'GET', '/api/tasks')).toBe(401);
});

test.each(['revoked', 'expired'] as const)(
  'what a token holds open ends within a second once it is %s',
  async (how) => {
    const { tokens } = await room.runtime.api();
    const wanted = { access: 'readonly' as const, tasks: null, agents: null };
    const expiresAt = how === 'expired' ? Date.now() + 600 : null;
    const { token } = tokens.create({ ...wanted, name: 'board', expiresAt });
    const answer = await fetch(`${room.url}/api/events`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    const own = await fetch(`${room.url}/api/events`, { headers: { authorization: `Bearer ${room.token}` } });
    const reader = answer.body!.getReader();
    await reader.read();
    const [over, endedAt] = [reader.read().catch(() => 'cut'), expiresAt ?? Date.now()];
    if (how === 'revoked') tokens.revoke('board');
    await over;
    expect(Date.now() - endedAt).toBeLessThan(1_000);
    // Nobody else's.
    const others = own.body!.getReader();
    room.runtime.events.emit({ type: 'room.trouble', message: 'still told', hint: null });
    let told = '';
    while (!told.includes('still told')) told += new TextDecoder().decode((await others.read()).value);
    await others.cancel();
  },
);
