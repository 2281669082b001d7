// What a worker's token opens, and what it does not: by hand, against a room that runs, with a job that a real worker's
// queue handed out.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Job } from '../../src/app/workers/queue/pg-boss-queue.ts';
import { createPgBossQueue, type WorkQueue } from '../../src/app/workers/queue/pg-boss-queue.ts';
import { readVersion } from '../../src/cli/version.ts';
import { until } from './room.ts';
import { postgres, room, site } from './site.ts';
import { createSite } from './workers.ts';

let queue: WorkQueue;
let jobs: Job[];
const tokens: Record<string, string> = {};
const AGENTS = ['coder', 'tester'];

interface Said {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by the tests
  body: any;
}

async function call(method: string, path: string, token: string, body?: object): Promise<Said> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${site.url()}${path}`, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const post = (path: string, token: string, body: object) => call('POST', path, token, body);
const hello = (id: string, token: string, agents: string[] | null = AGENTS) =>
  post('/api/workers', token, { id, name: id, version: readVersion(), slots: 4, agents });
const claim = (worker: string, token: string, { turn, attempt }: Job, forged = attempt) =>
  post(`/api/turns/${turn}/claim`, token, { worker, attempt: forged });
const report = (worker: string, token: string, { turn, attempt }: Job, first: number, reports: object[]) =>
  post(`/api/turns/${turn}/reports`, token, { worker, attempt, first, reports });
const jobOf = (agent: string) => jobs.find((job) => job.agent === agent)!;

beforeAll(async () => {
  for (const agent of AGENTS) room.agent(agent, { command: ['/bin/true'], env: ENV });
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  for (const agent of AGENTS) tokens[agent] = await site.token(agent, '--agent', agent);
  expect(await hello('coderworker', tokens.coder!)).toMatchObject({ status: 200 });
  expect(await hello('testerworker', tokens.tester!)).toMatchObject({ status: 200 });
  for (const agent of AGENTS)
    room.save(`tasks/${agent}.md`, `---\nowner: ${agent}\nstatus: todo\n---\n\nWork.\n`);
  await daemon.see('turn.started', { name: 'coder' });
  await daemon.see('turn.started', { name: 'tester' });
  const { room: id } = (await hello('coderworker', tokens.coder!)).body;
  queue = createPgBossQueue({ url: postgres.url, room: id, role: 'worker', onTrouble: () => {} });
  jobs = [];
  while (jobs.length < 2) jobs.push(...(await queue.fetch(AGENTS, 4)));
}, 180_000);

afterAll(async () => {
  await queue?.close();
});

const ENV = { PLAIN: 'words', API_KEY: 'a-secret-in-the-file', NAMED: { from: 'SOMEWHERE' } };

test('it opens nothing but what workers ask', async () => {
  const looks = [
    ...['/api/tasks', '/api/turns', '/api/status', '/api/workers', '/api/tokens', '/metrics'],
    '/api/events',
  ];
  for (const path of [...looks, `/api/turns/${jobs[0]!.turn}/output`, '/api/openapi.json'])
    expect([path, (await call('GET', path, tokens.coder!)).status]).toEqual([path, 403]);
  for (const path of ['/api/tasks', '/api/tokens', '/mcp'])
    expect([path, (await post(path, tokens.coder!, {})).status]).toEqual([path, 403]);
});

test('others have no use of what workers ask, and one that is revoked opens nothing', async () => {
  const own = room.read('.taskroom/token').trim();
  expect((await hello('someone1', own)).status).toBe(403);
  const gone = await site.token('gone');
  await room.ok('token', 'revoke', 'gone');
  expect((await hello('someone2', gone)).status).toBe(401);
});

test('it is told the agents it names alone, and no secret of theirs', async () => {
  const { body } = await hello('coderworker', tokens.coder!);
  expect(body.agents.map(({ id }: { id: string }) => id)).toEqual(['coder']);
  expect(body.agents[0].env).toEqual({
    PLAIN: 'words',
    API_KEY: { from: 'API_KEY' },
    NAMED: { from: 'SOMEWHERE' },
  });
  expect(JSON.stringify(body)).not.toContain('a-secret-in-the-file');
});

test('it claims no turn of another agent, no attempt that the queue does not know, and as no other worker', async () => {
  const [coder, tester] = [jobOf('coder'), jobOf('tester')];
  expect((await claim('coderworker', tokens.coder!, tester)).status).toBe(403);
  expect((await claim('coderworker', tokens.coder!, coder, 7)).status).toBe(409);
  expect((await claim('testerworker', tokens.coder!, coder)).status).toBe(403);
  expect((await claim('nobodyatall', tokens.coder!, coder)).status).toBe(404);
  const claimed = await claim('coderworker', tokens.coder!, coder);
  expect(claimed).toMatchObject({ status: 200, body: { turn: coder.turn, attempt: 0 } });
  // The answer was lost: the same again. Another worker with the same token does not have it.
  expect((await claim('coderworker', tokens.coder!, coder)).body).toEqual(claimed.body);
  await hello('secondworker', tokens.coder!);
  expect((await claim('secondworker', tokens.coder!, coder)).status).toBe(409);
});

test('a report is applied once, and neither for another turn, nor by another worker, nor out of order', async () => {
  const [coder, tester] = [jobOf('coder'), jobOf('tester')];
  const said = [{ kind: 'service', name: 'progress', args: ['said once'] }];
  expect((await report('coderworker', tokens.coder!, tester, 0, said)).status).toBe(403);
  expect((await report('secondworker', tokens.coder!, coder, 0, said)).status).toBe(409);
  expect((await report('coderworker', tokens.coder!, { ...coder, attempt: 3 }, 0, said)).status).toBe(409);
  expect((await report('coderworker', tokens.coder!, coder, 5, said)).status).toBe(400);
  const first = await report('coderworker', tokens.coder!, coder, 0, said);
  expect(first).toMatchObject({ status: 200, body: { answers: [{ kind: 'service' }] } });
  expect(await report('coderworker', tokens.coder!, coder, 0, said)).toEqual(first);
  const forbidden = [{ kind: 'service', name: 'constructor', args: [] }];
  const refused = await report('coderworker', tokens.coder!, coder, 1, forbidden);
  expect(refused.body.answers).toMatchObject([{ kind: 'failed', error: { code: 'not_allowed' } }]);
  expect(room.read('tasks/coder.md').split('said once')).toHaveLength(2);
});

test('of another agent’s turn it sends and reads no branch, and it speaks for no other worker', async () => {
  const [coder, tester] = [jobOf('coder'), jobOf('tester')];
  const piece = { offset: 0, size: 4, data: 'AAAA' };
  const branch = (worker: string, { turn, attempt }: Job, name: string, more: object) =>
    post(`/api/turns/${turn}/${name}`, tokens.coder!, { worker, attempt, repository: '', ...more });
  expect((await branch('coderworker', tester, 'branch', piece)).status).toBe(403);
  expect((await branch('coderworker', tester, 'branch/piece', { offset: 0 })).status).toBe(403);
  expect((await branch('testerworker', coder, 'branch', piece)).status).toBe(403);
  expect((await branch('coderworker', { ...coder, attempt: 9 }, 'branch', piece)).status).toBe(409);
  expect((await branch('secondworker', coder, 'branch/piece', { offset: 0 })).status).toBe(409);
  // It has the turn, which has no branch.
  expect((await branch('coderworker', coder, 'branch/piece', { offset: 0 })).body.code).toBe('refused');
  const asked = { worker: 'testerworker', free: 1, running: [], waitMs: 0 };
  expect((await post('/api/workers/wait', tokens.coder!, asked)).status).toBe(403);
  expect((await post('/api/workers/bye', tokens.coder!, { worker: 'testerworker' })).status).toBe(403);
  expect((await hello('testerworker', tokens.coder!)).status).toBe(403);
});

test('a name of a turn leads to no file, and a worker’s token opens no other room', async () => {
  for (const turn of ['..', '..%2F..', '%2Fetc%2Fpasswd', 'r0000000']) {
    const { status } = await post(`/api/turns/${turn}/claim`, tokens.coder!, {
      ...{ worker: 'coderworker', attempt: 0 },
    });
    expect([turn, status]).toEqual([turn, expect.toBeOneOf([403, 404, 410])]);
  }
  const other = await createSite(postgres);
  onTestFinished(() => other.close());

  other.room.agent('coder', { command: ['/bin/true'] });
  const daemon = await other.room.up('--port', '0');
  await daemon.see('api.ready');
  const token = await other.token('there', '--agent', 'coder');
  const there = async (path: string, bearer: string, body: object) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${other.url()}${path}`, sent)).status;
  };
  const self = { id: 'thereworker', name: 'there', version: readVersion(), slots: 1, agents: ['coder'] };
  expect(await there('/api/workers', tokens.coder!, self)).toBe(401);
  expect(await there('/api/workers', token, self)).toBe(200);
  const { turn, attempt } = jobOf('coder');
  const asked = { worker: 'thereworker', attempt };
  expect(await there(`/api/turns/${turn}/claim`, tokens.coder!, asked)).toBe(401);
  expect(await there(`/api/turns/${turn}/claim`, token, asked)).toBe(410);
  expect((await hello('thereworker', token)).status).toBe(401);
}, 30_000);

test('a superseded attempt changes nothing any more, and what it says is kept', async () => {
  const coder = jobOf('coder');
  await queue.giveBack(coder);
  const again: Job[] = [];
  while (again.length === 0) again.push(...(await queue.fetch(['coder'], 1)));
  expect((await claim('secondworker', tokens.coder!, again[0]!)).status).toBe(200);
  const late = [{ kind: 'service', name: 'progress', args: ['said too late'] }];
  expect((await report('coderworker', tokens.coder!, coder, 2, late)).status).toBe(409);
  expect((await claim('coderworker', tokens.coder!, coder)).status).toBe(409);
  expect(room.read('tasks/coder.md')).not.toContain('said too late');
  expect(room.read(`.taskroom/turns/${coder.turn}/late.jsonl`)).toContain('said too late');
  const end = { state: 'completed', reason: 'ok', exitCode: 0, signal: null, message: '' };
  expect((await report('secondworker', tokens.coder!, again[0]!, 0, [{ kind: 'end', end }])).status).toBe(
    200,
  );
  await until('the end is on record', () => room.read('tasks/coder.md').includes('said once'));
  // Replayed, the end has no effect: the same answer, or none.
  const replayed = await report('secondworker', tokens.coder!, again[0]!, 0, [{ kind: 'end', end }]);
  expect([200, 410]).toContain(replayed.status);
});
