// Linear's webhooks through the real program: our Linear-shaped server is what the room asks, and deliveries of the form that
// Linear's documentation shows, signed as it says, only name what to ask for.
import { createHmac, randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createLinearState, findIssue } from '../support/linear-server/records.ts';
import { createLinearServer, type LinearServer } from '../support/linear-server/server.ts';
import { type Daemon, PATIENCE_MS } from './daemon.ts';
import { createRoom, type E2eRoom, until } from './room.ts';

const SECRET = 'lin_wh_of_this_test';
const NAME = 'Login fails (ENG-1)';
const FILE = `tasks/${NAME}.md`;

type Delivery = { text: string; signature: string };

/** What Linear signs: the very bytes, with the time of sending in them. */
function signed(payload: object, { secret = SECRET, ageMs = 0 } = {}): Delivery {
  const text = JSON.stringify({ ...payload, webhookTimestamp: Date.now() - ageMs, webhookId: randomUUID() });
  return { text, signature: createHmac('sha256', secret).update(text).digest('hex') };
}

async function post(address: string, { text, signature }: Delivery): Promise<number> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Linear-Webhook',
    'linear-delivery': randomUUID(),
    ...(signature === '' ? {} : { 'linear-signature': signature }),
  };
  const response = await fetch(`${address}/hooks/linear`, { method: 'POST', headers, body: text });
  await response.text();
  return response.status;
}

/** Payloads as the documentation shows them, of what stands on the server now. */
function payloadsOf({ state }: LinearServer) {
  const createdAt = new Date().toISOString();
  const frame = (type: string, action: string, data: object, path: string) => ({
    ...{ action, type, createdAt, data, organizationId: state.organization.id },
    actor: { id: state.users.at(-1)!.id, type: 'user', name: 'Ann' },
    url: `https://linear.app/acme/issue/${path}`,
  });
  return {
    issue(ref: string, action: string, words: object = {}) {
      const { id, title, number } = findIssue(state, ref)!;
      const [key] = ref.split('-');
      return frame(
        'Issue',
        action,
        { id, identifier: ref, number, title, team: { key }, ...words },
        `${ref}/words`,
      );
    },
    comment(ref: string, id: string, body: string) {
      const issue = findIssue(state, ref)!;
      const data = {
        id,
        body,
        edited: false,
        issueId: issue.id,
        issue: { id: issue.id, title: issue.title },
      };
      return frame('Comment', 'create', data, `${ref}/words#comment-${id.slice(0, 8)}`);
    },
  };
}

async function roomOn(server: LinearServer): Promise<E2eRoom> {
  const room = await createRoom();
  room.settings('default_agent: env', 'settle: 0', 'hooks:', '  port: 0', '  linear: HOOK_SECRET');
  room.agent('env', { command: 'env >> "$AGENT_ROOM/seen.env"', writes: false });
  const mirror = ['mirror:', '  provider: linear', '  source: ENG', `  url: ${server.url}`];
  room.save('chores/web.md', ['---', 'schedule: every 5m', ...mirror, '---', ''].join('\n'));
  Object.assign(room.daemonEnv, { LINEAR_API_KEY: 'lin_api_good', HOOK_SECRET: SECRET });
  return room;
}

async function hearing(room: E2eRoom): Promise<{ daemon: Daemon; address: string }> {
  const daemon = await room.up('--no-http');
  const { address, hears } = await daemon.see('webhooks.listening');
  expect(hears).toEqual(['linear']);
  await daemon.see('chore.finished', { name: 'web' });
  await room.quiet(daemon);
  return { daemon, address: String(address) };
}

test('Linear tells, and the room fetches: what is unproven, old, repeated, disordered or lost changes nothing for the worse', async () => {
  const server = await createLinearServer(createLinearState(Date.now()), Date.now);
  const { person } = server;
  const payloads = payloadsOf(server);
  const room = await roomOn(server);
  onTestFinished(() => server.close());
  onTestFinished(() => room.close());
  const { daemon, address } = await hearing(room);
  expect(await room.ok('hooks', 'check')).toMatch(
    /nothing came for ENG so far[\s\S]*hooks\/linear[\s\S]*Issues and Comments/,
  );
  const asked = () => server.asked.length;
  /** Does this, and waits until the room has nothing left to do; the syncs that it began. */
  const syncsAfter = async (act: () => Promise<unknown>) => {
    const from = daemon.mark();
    await act();
    await room.quiet(daemon);
    return daemon.all('sync.started', {}, from).length;
  };

  expect(person.addIssue({ title: 'Login fails', description: 'It does.' })).toBe('ENG-1');
  const created = signed(payloads.issue('ENG-1', 'create'));
  expect(await post(address, created)).toBe(200);
  await daemon.see('mirror.created', { name: NAME });
  const comment = person.addComment('ENG-1', 'Here too.');
  expect(await post(address, signed(payloads.comment('ENG-1', comment, 'A lie.')))).toBe(200);
  await until('the comment', () => room.read(FILE).includes('Here too.'));
  expect(room.read(FILE)).not.toContain('A lie.');

  // What is not proven, or was signed more than a minute ago or ahead, is not even asked about.
  await room.quiet(daemon);
  const update = payloads.issue('ENG-1', 'update', { title: 'Older words' });
  const good = signed(update);
  const before = asked();
  const refusals: [what: string, delivery: Delivery, status: number][] = [
    ['another secret', signed(update, { secret: 'lin_wh_other' }), 401],
    ['no signature', { ...good, signature: '' }, 401],
    ['a signature that is none', { ...good, signature: 'zz' }, 401],
    ['one sign changed', { ...good, text: good.text.replace('Older', 'Elder') }, 401],
    [
      'a time changed',
      { ...good, text: good.text.replace(/"webhookTimestamp":\d/, '"webhookTimestamp":2') },
      401,
    ],
    ['signed two minutes ago', signed(update, { ageMs: 120_000 }), 401],
    ['signed two minutes ahead', signed(update, { ageMs: -120_000 }), 401],
    [
      'signed words that are no JSON',
      { text: '{', signature: createHmac('sha256', SECRET).update('{').digest('hex') },
      400,
    ],
  ];
  const refused = await syncsAfter(async () => {
    for (const [what, delivery, status] of refusals)
      expect([what, await post(address, delivery)]).toEqual([what, status]);
  });
  expect([refused, asked() - before]).toEqual([0, 0]);

  // Of another team, and of what is no issue: taken, and nothing to ask.
  server.state.teams.push({
    ...server.state.teams[0]!,
    id: randomUUID(),
    key: 'OPS',
    name: 'Team OPS',
    lastNumber: 0,
  });
  const elsewhere = {
    ...update,
    data: { id: randomUUID(), identifier: 'OPS-1' },
    url: 'https://linear.app/acme/issue/OPS-1/x',
  };
  const aside = await syncsAfter(async () => {
    expect(await post(address, signed(elsewhere))).toBe(200);
    expect(await post(address, signed({ ...update, type: 'Project' }))).toBe(200);
  });
  expect([aside, asked() - before]).toEqual([0, 0]);

  // The newer delivery first, the older after it, and each twenty times: what counts is what Linear says now.
  person.editIssue('ENG-1', { title: 'Login fails', description: 'It fails at noon.' });
  const newer = signed(payloads.issue('ENG-1', 'update', { description: 'It fails at noon.' }));
  const older = signed(payloads.issue('ENG-1', 'update', { title: 'Older words', description: 'Older.' }));
  const again = await syncsAfter(async () => {
    const repeated = Array.from({ length: 20 }, () => [newer, older, created]).flat();
    const statuses = await Promise.all(repeated.map((one) => post(address, one)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await until('the newer words', () => room.read(FILE).includes('It fails at noon.'));
  });
  expect(again).toBeLessThanOrEqual(3);
  expect(room.read(FILE)).not.toContain('Older');

  // A thousand deliveries of sixty issues are a few fetches: the pause between them doubles.
  const many = Array.from({ length: 60 }, (_, at) =>
    person.addIssue({ title: `Bulk ${at}`, state: 'Backlog' }),
  );
  const asks = asked();
  const burst = await syncsAfter(async () => {
    const deliveries = Array.from({ length: 1_000 }, (_, at) =>
      signed(payloads.issue(many[at % 60]!, 'create')),
    );
    for (let at = 0; at < 1_000; at += 100) {
      const statuses = await Promise.all(deliveries.slice(at, at + 100).map((one) => post(address, one)));
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
    for (const ref of many) await daemon.see('mirror.created', { name: new RegExp(`\\(${ref}\\)$`) });
  });
  expect(burst).toBeGreaterThan(0);
  expect(burst).toBeLessThanOrEqual(10);
  expect(asked() - asks).toBeLessThanOrEqual(60);

  // Lost on the way: the next sweep finds it.
  person.editIssue('ENG-1', { description: 'It fails at night.' });
  const lost = daemon.mark();
  await room.ok('chores', 'run', 'web');
  await daemon.see('chore.finished', { name: 'web' }, lost);
  expect(room.read(FILE)).toContain('It fails at night.');

  const counted = async () => {
    const { deliveries } = await room.json('hooks', 'check');
    return deliveries.map((one: { chore: string; what: string }) => `${one.chore} ${one.what}`);
  };
  // Counts are put on record once a second.
  await expect
    .poll(counted, { timeout: PATIENCE_MS })
    .toEqual(
      expect.arrayContaining([
        ...['web Issue.create', 'web Issue.update', 'web Comment.create'],
        ...['unsigned', 'wrong_signature', 'old', 'malformed'].map((why) => `null refused:${why}`),
      ]),
    );
  expect(await room.json('hooks', 'check')).toMatchObject({ healthy: true, address });
  await until('a turn', () => room.read('seen.env').includes('AGENT_ROOM='));
  expect(room.read('seen.env')).not.toMatch(/HOOK_SECRET|LINEAR_API_KEY|lin_wh_|lin_api_/);

  // Nobody hears while the room is down: the next sweep finds it.
  await room.ok('stop');
  await daemon.ended;
  person.editIssue('ENG-1', { description: 'It fails on Sundays.' });
  await expect(post(address, signed(update))).rejects.toThrow();
  const next = await room.up('--no-http');
  await room.ok('chores', 'run', 'web');
  await next.see('chore.finished', { name: 'web' });
  expect(room.read(FILE)).toContain('It fails on Sundays.');
});
