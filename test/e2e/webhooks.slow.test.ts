// Webhooks through the real program: emulate's GitHub delivers to a running room, which fetches what they name.
import { sign } from '@octokit/webhooks-methods';
import { createEmulator } from 'emulate';
import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE_MS } from './daemon.ts';
import { createRoom, until } from './room.ts';

const SECRET = 'the secret of the hook';
const NAME = 'Login fails (web#1)';

test('a delivery is fetched and written within the hour of the schedule; what none told is found, and listings come less often', async () => {
  const emulator = await createEmulator({
    service: 'github',
    port: 0,
    seed: {
      tokens: { 'good-token': { login: 'acme', scopes: ['repo', 'admin:repo_hook'] } },
      github: { users: [{ login: 'acme' }], repos: [{ owner: 'acme', name: 'web' }] },
    },
  });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: 'token good-token', 'content-type': 'application/json' };
    const url = `${emulator.url}/repos/acme/web${path}`;
    const response = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    expect(response.ok, `${method} ${path}`).toBe(true);
    // biome-ignore lint/suspicious/noExplicitAny: what a tracker says is looked at field by field.
    return (response.status === 204 ? null : await response.json()) as any;
  };
  const room = await createRoom();
  onTestFinished(() => emulator.close());
  onTestFinished(() => room.close());
  room.settings('default_agent: env', 'settle: 0', 'hooks:', '  port: 0', '  github: HOOK_SECRET');
  room.agent('env', { command: 'env > "$AGENT_ROOM/seen.env"', writes: false });
  const fields = '[title, body, status, labels, comments]';
  room.save(
    'chores/web.md',
    `---\nschedule: every 5m\nmirror:\n  provider: github\n  source: acme/web\n  url: ${emulator.url}\n  fields: ${fields}\n---\n`,
  );
  Object.assign(room.daemonEnv, { GITHUB_TOKEN: 'good-token', HOOK_SECRET: SECRET });
  expect((await room.run(['hooks', 'check'])).stdout).toContain('nothing listens at port 0');
  const daemon = await room.up();
  const { address, hears } = await daemon.see('webhooks.listening');
  expect(hears).toEqual(['github']);
  await daemon.see('chore.finished', { name: 'web' });
  expect(await room.ok('hooks', 'check')).toMatch(
    /nothing came for acme\/web so far\n +add a webhook at http.*\/acme\/web\/settings\/hooks: address <your tunnel>\/hooks\/github, JSON/,
  );
  const hookUrl = `${address}/hooks/github`;
  const config = { url: hookUrl, content_type: 'json', secret: SECRET };
  const hook = await call('POST', '/hooks', { config, events: ['issues', 'issue_comment'], active: true });

  await call('POST', '/issues', { title: 'Login fails', body: 'It does.' });
  await daemon.see('mirror.created', { name: NAME });
  await call('POST', '/issues/1/comments', { body: 'Here too.' });
  await until('the comment', () => room.read(`tasks/${NAME}.md`).includes('Here too.'));

  // Listings are asked for less often once one began after the listener did.
  await room.quiet(daemon);
  const from = daemon.mark();
  await room.ok('chores', 'run', 'web');
  await daemon.see('chore.finished', { name: 'web' }, from);
  const nextIn = async () => {
    const [{ next_at, started_at }] = (await room.json('chores')).chores;
    return Date.parse(next_at) - Date.parse(started_at);
  };
  await expect.poll(nextIn, { timeout: PATIENCE_MS }).toBe(30 * 60_000);

  // Twenty times the same, and out of order: what is written is what the tracker says now, and it is asked once.
  await room.quiet(daemon);
  const old = JSON.stringify({
    action: 'edited',
    issue: { number: 1, title: 'Older words', body: 'Older.' },
    repository: { full_name: 'acme/web' },
  });
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-hub-signature-256': await sign(SECRET, old),
  };
  const again = daemon.mark();
  const replay = async () => (await fetch(hookUrl, { method: 'POST', headers, body: old })).status;
  expect(new Set(await Promise.all(Array.from({ length: 20 }, replay)))).toEqual(new Set([200]));
  await daemon.see('sync.finished', { chore: 'web', updated: 0 }, again);
  await room.quiet(daemon);
  expect(daemon.all('sync.started', {}, again)).toHaveLength(1);
  expect(room.read(`tasks/${NAME}.md`)).not.toContain('Older');

  // Unsigned and lost: nothing is fetched for the one, the next listing finds the other.
  const unsigned = { ...headers, 'x-hub-signature-256': '' };
  expect((await fetch(hookUrl, { method: 'POST', headers: unsigned, body: old })).status).toBe(401);
  await call('DELETE', `/hooks/${hook.id}`);
  await call('PATCH', '/issues/1', { body: 'It fails at night.' });
  const lost = daemon.mark();
  await room.ok('chores', 'run', 'web');
  await daemon.see('chore.finished', { name: 'web' }, lost);
  expect(room.read(`tasks/${NAME}.md`)).toContain('It fails at night.');

  const counted = async () => {
    const { deliveries } = await room.json('hooks', 'check');
    return deliveries.map((one: { chore: string; what: string }) => `${one.chore} ${one.what}`);
  };
  // Counts are put on record once a second.
  await expect.poll(counted, { timeout: PATIENCE_MS }).toContain('null refused:unsigned');
  expect(await counted()).toEqual(expect.arrayContaining(['web issue_comment.created', 'web issues.opened']));
  expect(await room.json('hooks', 'check')).toMatchObject({ healthy: true, address });
  await until('its turn', () => room.read('seen.env').includes('AGENT_ROOM='));
  expect(room.read('seen.env')).not.toMatch(/HOOK_SECRET|GITHUB_TOKEN|the secret of the hook/);

  await room.ok('stop');
  await daemon.ended;
  const after = await room.run(['hooks', 'check', '--json']);
  expect([after.code, JSON.parse(after.stdout).address]).toEqual([6, null]);
});

test('without a port of their own, signed deliveries come in at the address of the API', async () => {
  const room = await createRoom();
  onTestFinished(() => room.close());
  room.settings('settle: 0', 'hooks:', '  github: HOOK_SECRET');
  room.daemonEnv.HOOK_SECRET = SECRET;
  expect((await room.run(['hooks', 'check'])).stdout).toContain('nothing listens at the address of the API');
  const daemon = await room.up('--port', '0');
  const { url } = await daemon.see('api.ready');
  expect(daemon.all('webhooks.listening')).toMatchObject([{ address: url, hears: ['github'] }]);
  const body = '{"zen":"Keep it logically awesome.","hook_id":1}';
  const deliver = async (signature: string, path = '/hooks/github') => {
    const headers = { 'content-type': 'application/json', 'x-github-event': 'ping' };
    const signed = { ...headers, 'x-hub-signature-256': signature };
    return (await fetch(url + path, { method: 'POST', headers: signed, body })).status;
  };
  expect(await deliver(await sign(SECRET, body))).toBe(200);
  expect(await deliver(await sign('another', body))).toBe(401);
  expect(await deliver(await sign(SECRET, body), '/hooks/linear')).toBe(404);
  await daemon.see('webhook.received', { provider: 'github' });
  await room.ok('stop');
  expect(await daemon.ended).toMatchObject({ code: 0 });
});
