// What people see of turns that run on other machines: by every face, and what doctor makes of the queue.
import { beforeAll, expect, test } from 'vitest';
import type { Daemon } from './daemon.ts';
import { until } from './room.ts';
import { postgres, room, site } from './site.ts';

let daemon: Daemon;
beforeAll(async () => {
  room.agent('far', { command: ['/bin/sh', '-c', 'sleep 600'] });
  room.agent('other', { command: ['/bin/true'] });
  room.agent('quick', { command: ['/bin/sh', '-c', 'taskroom done'] });
  daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
}, 120_000);

async function metrics(): Promise<string> {
  const headers = { authorization: `Bearer ${room.read('.taskroom/token').trim()}` };
  return (await fetch(`${site.url()}/metrics`, { headers })).text();
}

const doctor = async (env: Record<string, string> = { ROOM_QUEUE: postgres.url }) => {
  const { stdout } = await room.run(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; text: string }[] };
  return checks.filter(({ name }) => name === 'queue').map(({ state, text }) => `${state}: ${text}`);
};

test('without a worker each face says what a task waits for', async () => {
  room.save('tasks/Waits.md', '---\nowner: far\nstatus: todo\n---\n\nWait.\n');
  await daemon.see('task.waiting', { name: 'Waits' });
  const reason = 'waits for a worker that can run its agent';
  expect(await room.ok('list')).toContain(reason);
  expect(await room.ok('show', 'Waits')).toContain(reason);
  const status = await room.ok('status');
  expect(status).toContain(reason);
  expect(status).toMatch(/Workers\n {2}none/);
  expect(await room.json('status')).toMatchObject({ workers: [], unserved: expect.arrayContaining(['far']) });
  expect(await metrics()).toMatch(/^taskroom_agents_without_worker [1-9]/m);
  expect(await doctor()).toEqual(
    expect.arrayContaining([
      'ok: PostgreSQL answers, and holds nothing yet: the room makes its tables when the first worker comes',
      'warn: no worker lives: nothing runs the turns of this room',
    ]),
  );
});

test('with one each face says where a turn runs, and who lives', async () => {
  await site.worker('build-2', { token: await site.token('build-2', '--agent', 'far') });
  const { turn } = await daemon.see('turn.claimed', { worker: 'build-2' });
  const status = await room.ok('status');
  expect(status).toMatch(/running {2}@far {2}at build-2/);
  expect(status).toMatch(/● build-2 +1 of 4 slots {2}far/);
  expect(await room.json('status')).toMatchObject({
    workers: [{ name: 'build-2', live: true, slots: 4, agents: ['far'], turns: [turn] }],
    places: { [String(turn)]: 'build-2' },
    queue: { answers: true, trouble: null },
  });
  const env = { TASKROOM_TOKEN: room.read('.taskroom/token').trim() };
  const far = async (command: string) =>
    JSON.parse((await room.run([command, '--json', '--url', site.url()], { env })).stdout);
  expect(await far('status')).toMatchObject({
    workers: [{ name: 'build-2', live: true, turns: [turn] }],
    places: { [String(turn)]: 'build-2' },
  });
  expect(await far('workers')).toMatchObject({ workers: [{ name: 'build-2', slots: 4, turns: [turn] }] });
  // The daemon has the queue's address, and who asks has not.
  const looked = (await far('doctor')).checks as { name: string; state: string }[];
  expect(looked.filter(({ name }) => name === 'queue').map(({ state }) => state)).toContain('ok');
  const said = await metrics();
  expect(said).toContain('taskroom_turns_elsewhere{worker="build-2"} 1');
  expect(said).toContain('taskroom_queue_up 1');
  const found = await doctor();
  expect(found).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ok: PostgreSQL 1\d.* answers in \d+ ms; tables of pg-boss at version \d+/),
      'ok: workers: build-2; 4 slots',
      'warn: no worker that lives can run the agent other',
      expect.stringMatching(/^warn: the role postgres may do everything/),
    ]),
  );
  expect(found.join('\n')).not.toMatch(/jobs in PostgreSQL|have no job/);
});

const linesOf = async () => (await room.json('workers')) as { workers: Record<string, unknown>[] };

test('one that can not ask the queue is offered nothing, and says so once, by every face', async () => {
  const token = await site.token('build-3', '--agent', 'quick');
  const wrong = postgres.url.replace(/:[^:@/]*@/, ':wrong@');
  const three = await site.worker('build-3', { token, queue: wrong, args: ['--slots', '9'] });
  room.save('tasks/First.md', '---\nowner: quick\nstatus: todo\n---\n\nGo.\n');
  await until('it is told', () =>
    /worker build-3 takes no turns/.test(JSON.stringify(daemon.all('room.trouble'))),
  );
  await site.worker('build-4', { token: await site.token('build-4', '--agent', 'quick') });
  await daemon.see('turn.claimed', { name: 'First', worker: 'build-4' });
  const begun = performance.now();
  for (const name of ['Second', 'Third', 'Fourth']) {
    room.save(`tasks/${name}.md`, '---\nowner: quick\nstatus: todo\n---\n\nGo.\n');
    await daemon.see('turn.claimed', { name, worker: 'build-4' });
  }
  expect(performance.now() - begun).toBeLessThan(15_000);
  expect(three.said()).not.toContain('answers again');
  expect(three.said().match(/password authentication failed/g)).toHaveLength(1);
  expect((await linesOf()).workers).toContainEqual(
    expect.objectContaining({ name: 'build-3', trouble: expect.stringContaining('password') }),
  );
  expect((await doctor()).join('\n')).toMatch(/warn: worker build-3 takes no turns: .*password/);
  expect(await room.ok('inbox')).toContain('worker build-3 takes no turns');
  three.signal('SIGKILL');
  await until('it is gone', () => daemon.all('room.mended').length === 1);
  expect((await linesOf()).workers).toContainEqual(expect.objectContaining({ name: 'build-3', live: false }));
});

test('one of another version is told so, offered nothing, and shown', async () => {
  const headers = {
    authorization: `Bearer ${await site.token('old', '--agent', 'quick')}`,
    'content-type': 'application/json',
  };
  const ask = async (path: string, body: object) => {
    const answer = await fetch(`${site.url()}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const hello = {
    id: 'aaaaaaaaaaaa',
    name: 'old',
    version: '0.0.1',
    slots: 5,
    agents: ['quick'],
    mood: 'new',
  };
  expect(await ask('/api/workers', hello)).toMatchObject({ status: 200 });
  const news = await ask('/api/workers/wait', { worker: hello.id, free: 5, running: [], waitMs: 0 });
  const why = /is version 0\.0\.1, and the room's host \d/;
  expect(news.body).toMatchObject({ work: false, trouble: expect.stringMatching(why) });
  expect((await linesOf()).workers).toContainEqual(
    expect.objectContaining({ name: 'old', trouble: expect.stringMatching(why) }),
  );
  expect(await room.ok('inbox')).toMatch(why);
  expect((await ask('/api/workers/bye', { worker: hello.id })).status).toBe(200);
});

test('doctor tells of jobs that one side does not know, of a role without its rights, and of a queue that is away', async () => {
  await postgres.query(`INSERT INTO taskroom.job (name, singleton_key, policy)
    SELECT name, 'task:local:nobodys', 'exclusive' FROM taskroom.queue WHERE name LIKE '%.far'`);
  await postgres.query("CREATE ROLE narrow LOGIN PASSWORD 'word'");
  await postgres.query('GRANT USAGE ON SCHEMA taskroom TO narrow');
  await postgres.query('GRANT SELECT ON ALL TABLES IN SCHEMA taskroom TO narrow');
  expect(await doctor()).toContain('warn: 1 of the jobs in PostgreSQL belong to no turn that runs');
  const narrow = await doctor({ ROOM_QUEUE: postgres.url.replace(/\/\/[^@]*@/, '//narrow:word@') });
  expect(narrow.join('\n')).toMatch(/fail: the role narrow lacks DELETE on/);
  expect(narrow.join('\n')).toMatch(/fail: the role narrow does not own the tables/);
  expect(await doctor({})).toContainEqual(expect.stringMatching(/^fail: .*ROOM_QUEUE is not set/));
  await postgres.kill();
  expect(await doctor()).toContainEqual(
    expect.stringMatching(/^fail: the queue on PostgreSQL can't be asked/),
  );
  await until('the queue is away', () =>
    /the queue on PostgreSQL can't be asked: /.test(JSON.stringify(daemon.all('room.trouble'))),
  );
  expect(await room.ok('status')).toMatch(/Trouble\n {2}the queue on PostgreSQL/);
  expect(await metrics()).toContain('taskroom_queue_up 0');
  const mended = daemon.all('room.mended').length;
  await postgres.start();
  await until('it is back', () => daemon.all('room.mended').length > mended);
  // A look at the queue that began while it was away may fail after it is back; the next one is 2 s later.
  await expect.poll(metrics, { timeout: 20_000 }).toContain('taskroom_queue_up 1');
});
