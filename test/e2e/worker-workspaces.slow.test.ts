// Workspaces of turns on other machines: a real git server, a real PostgreSQL, workers as processes with homes of their own. One
// room for all cases, each with an agent of its own.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Job } from '../../src/app/workers/queue/pg-boss-queue.ts';
import { createPgBossQueue } from '../../src/app/workers/queue/pg-boss-queue.ts';
import { readVersion } from '../../src/cli/version.ts';
import { forAllTests } from '../support/for-each-test.ts';
import { runGit, startGitServer } from '../support/git-server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import type { Daemon } from './daemon.ts';
import { until } from './room.ts';
import { postgres, room, site } from './site.ts';

const server = forAllTests(() => startGitServer(), 180_000);
let daemon: Daemon;

const COMMIT = 'git -c user.name=A -c user.email=a@example.com commit --quiet -am';

beforeAll(async () => {
  agent('local', room.dir, 'taskroom done');
  const tree = { workspace: 'worktree', cwd: '..' };
  room.agent('tree', { command: ['/bin/true'], ...tree });
  agent('hand', server.url('shut'), 'true');
  daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
}, 180_000);

function agent(id: string, repository: string, script: string, config: object = {}): void {
  const workspace = { repository, base: 'main' };
  const command = ['/bin/sh', '-c', script];
  room.agent(id, { command, workspace, writes: false, ...config });
}

const save = (id: string) => room.save(`tasks/${id}.md`, `---\nid: ${id}0001\nowner: ${id}\n---\nWork.\n`);
const branchOf = (id: string) => `taskroom/${id}0001-${id}`;
/** The host's own copy of a repository. */
function copy(name: string): string {
  const dir = room.at('.taskroom/repositories');
  return join(dir, readdirSync(dir).find((each) => each.startsWith(`${name}-`))!);
}
const tipAt = (dir: string, id: string) => runGit(dir, 'rev-parse', `refs/heads/${branchOf(id)}`);

test('a branch is pushed where that is taken: hooks run at the worker, checks where the room is', async () => {
  const script = `cat > "$AGENT_ROOM/prompt.txt"; echo two >> code.txt; ${COMMIT} "Say two"; taskroom progress "in $(pwd)"; taskroom done`;
  const log = room.at('hooks.txt');
  agent('open', server.url('open'), script, {
    cwd: 'web',
    checks: ['grep -q two code.txt', `pwd >> '${log}'`],
    hooks: {
      after_create: `echo "created $(pwd)" >> '${log}'; touch ready`,
      before_run: `test -f ready; echo before >> '${log}'`,
      after_run: `echo after >> '${log}'; echo "no formatter"; exit 5`,
    },
  });
  const worker = await site.worker('one', { args: ['--agents', 'open'] });
  save('open');
  const end = await daemon.see('turn.ended', { name: 'open' });
  expect(end).toMatchObject({ state: 'completed', reason: 'ok' });
  const text = room.read('tasks/open.md');
  expect(text).toMatch(new RegExp(`in ${worker.home}/cache/[^/]+/worktrees/open0001-open/web`));
  expect(text).toMatch(/after_run failed: .*no formatter/s);
  expect(text).toMatch(
    /Branch `taskroom\/open0001-open` in .*1 commit:\n- [0-9a-f]+ Say two\n.*M web\/code.txt/s,
  );
  const tip = tipAt(copy('open'), 'open');
  expect(server.git('open', 'rev-parse', branchOf('open'))).toBe(tip);
  const here = room.at('.taskroom/worktrees/open0001-open/web');
  const there = `${worker.home}/cache/`;
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  expect(lines.map((line) => (line.includes(there) ? 'at the worker' : line))).toEqual([
    ...['at the worker', 'before', 'after'],
    ...[`created ${here}`, here],
  ]);
  worker.signal('SIGTERM');
  await worker.ended;
}, 90_000);

test('where nothing may be pushed it comes as a file, and another worker goes on with it', async () => {
  const log = room.at('turns.txt');
  const first = `if [ ! -s '${log}' ]; then echo one > '${log}'; echo two >> web/code.txt; ${COMMIT} "By one"; taskroom progress halfway; exit 0; fi`;
  const second = `if [ "$(wc -l < '${log}')" -lt 2 ]; then echo again >> '${log}'; echo lost > loose; sleep 600; fi`;
  const last = `git log --format=%s >> '${log}'; echo three >> web/code.txt; ${COMMIT} "By the next"; taskroom done`;
  agent('shut', server.url('shut'), `${first}; ${second}; ${last}`);
  const one = await site.worker('two', { args: ['--agents', 'shut'] });
  save('shut');
  await daemon.see('turn.ended', { name: 'shut' });
  const begun = tipAt(copy('shut'), 'shut');
  expect(runGit(copy('shut'), 'log', '-1', '--format=%s', begun)).toBe('By one');
  expect(server.git('shut', 'branch', '--list', 'taskroom/*')).toBe('');
  await room.ok('run', 'shut');
  await until('the second turn is at it', () => readFileSync(log, 'utf8').includes('again'));
  const three = await site.worker('three', { args: ['--agents', 'shut'] });
  one.signal('SIGKILL');
  await daemon.see('turn.claimed', { name: 'shut', worker: 'three' });
  await until('it is done', () => daemon.all('turn.ended', { name: 'shut' }).length === 2);
  expect(room.read('tasks/shut.md')).toContain('status: done');
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(['one', 'again', 'By one', 'First']);
  expect(runGit(copy('shut'), 'log', '--format=%s', branchOf('shut')).split('\n')).toEqual([
    ...['By the next', 'By one', 'First'],
  ]);
  three.signal('SIGTERM');
  await three.ended;
}, 120_000);

test('a branch that is ready while the host is away waits, also for the worker that comes after', async () => {
  const script = `taskroom progress "said once"; taskroom done; touch '${room.at('told')}'; read -r go < '${room.at('gates/go')}'; echo two >> web/code.txt; ${COMMIT} "While away"; echo printed`;
  agent('away', server.url('shut'), script);
  const token = await site.token('same');
  const one = await site.worker('same', { token, args: ['--agents', 'away'] });
  room.gate('go');
  save('away');
  await until('it has told', () => existsSync(room.at('told')));
  const port = new URL(site.url()).port;
  const url = site.url();
  await daemon.kill();
  room.open('go');
  const turns = (): string[] => {
    try {
      return readdirSync(one.home, { recursive: true, encoding: 'utf8' });
    } catch (error) {
      // A folder that is listed and removed at the same moment: the next look tells.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
  // The file comes first: a worker that dies between the two leaves the turn to be tried again.
  await until('its branch is a file, and that it ran is kept', () =>
    turns().some((name) => {
      const [, folder] = /^(.*turns\/.*)\/branch\.[0-9a-f]+\..*bundle$/.exec(name) ?? [];
      return (
        folder !== undefined &&
        /^\{"ran"/m.test(readFileSync(join(one.home, folder, 'reports.jsonl'), 'utf8'))
      );
    }),
  );
  one.signal('SIGKILL');
  await one.ended;
  await until('what it had not told is kept', () => turns().some((name) => /unsent\/[^/]+$/.test(name)));
  daemon = await room.up('--port', port);
  const after = await site.worker('same', { token, url, home: one.home, args: ['--agents', 'away'] });
  await until('it tells', () => /had not reported is told/.test(after.said()));
  await daemon.see('turn.ended', { name: 'away' });
  const [ended] = daemon.all('turn.ended').filter(({ name }) => name === 'away');
  expect(ended).toMatchObject({ state: 'completed', reason: 'ok' });
  expect(room.read('tasks/away.md').split('said once')).toHaveLength(2);
  expect(await room.ok('log', String(ended!.turn))).toContain('printed');
  expect(runGit(copy('shut'), 'log', '-1', '--format=%s', branchOf('away'))).toBe('While away');
  await until('nothing of it is left there', () => {
    const names = turns();
    return names.length > 0 && !names.some((name) => /unsent\/./.test(name));
  });
  after.signal('SIGTERM');
  await after.ended;
}, 120_000);

test('a project or a repository of the host alone is not started, and says so', async () => {
  save('local');
  save('tree');
  await daemon.see('task.waiting', { name: 'local' });
  await daemon.see('task.waiting', { name: 'tree' });
  const list = await room.ok('list');
  expect(list).toMatch(/lies on this machine, and a worker does not see it/);
  expect(list).toMatch(/worktree on this machine, which a worker does not see/);
  expect(existsSync(room.at('.taskroom/worktrees/local0001-local'))).toBe(false);
});

test('of what a worker sends nothing but its own branch is taken, and of a superseded attempt nothing', async () => {
  const token = await site.token('hand');
  const call = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${site.url()}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are checked below
    return { status: response.status, body: (await response.json()) as any };
  };
  const hello = { name: 'hand', version: readVersion(), slots: 1, agents: ['hand'] };
  const { body: greeting } = await call('/api/workers', { ...hello, id: 'handworker1' });
  await call('/api/workers', { ...hello, id: 'handworker2' });
  const queue = createPgBossQueue({
    url: postgres.url,
    room: greeting.room,
    role: 'worker',
    onTrouble: () => {},
  });
  const tree = tempFolder('taskroom-hand');
  onTestFinished(() => queue.close());
  save('hand');
  const next = async (): Promise<Job> => {
    for (;;) {
      const [job] = await queue.fetch(['hand'], 1);
      if (job !== undefined) return job;
    }
  };
  let job = await next();
  const claim = (worker: string) => call(`/api/turns/${job.turn}/claim`, { worker, attempt: job.attempt });
  const { body: claimed } = await claim('handworker1');
  const base = server.git('shut', 'rev-parse', 'main');
  expect(claimed.workspaces).toEqual([
    {
      ...{ name: '', address: server.url('shut'), from: 'main', branch: branchOf('hand'), base, tip: null },
      ...{ folder: 'hand0001-hand', prefix: '' },
    },
  ]);
  runGit(tree, 'clone', '--quiet', server.url('shut'), '.');
  runGit(tree, 'checkout', '--quiet', '-b', branchOf('hand'));
  const bundle = (message: string, name = branchOf('hand')): { file: Buffer; tip: string } => {
    runGit(tree, 'commit', '--quiet', '--allow-empty', '-m', message);
    runGit(tree, 'branch', '--force', 'other');
    runGit(tree, 'bundle', 'create', '--quiet', 'out', `refs/heads/${name}`, `^${base}`);
    return { file: readFileSync(join(tree, 'out')), tip: runGit(tree, 'rev-parse', 'HEAD') };
  };
  const send = (worker: string, file: Buffer, size = file.length) =>
    call(`/api/turns/${job.turn}/branch`, {
      ...{ worker, attempt: job.attempt, repository: '', offset: 0, size, data: file.toString('base64') },
    });
  let told = 0;
  const report = async (worker: string, tip: string, bytes: number) => {
    const reports = [{ kind: 'branch', repository: '', tip, by: 'bundle', bytes }];
    const said = { worker, attempt: job.attempt, first: told, reports };
    const answer = await call(`/api/turns/${job.turn}/reports`, said);
    if (answer.status === 200) told += 1;
    return answer;
  };
  const refused = { body: { answers: [{ kind: 'failed', error: { code: 'refused' } }] } };
  const tooLarge = await send('handworker1', Buffer.from('x'), 2 ** 40);
  expect(tooLarge.body.error?.message ?? JSON.stringify(tooLarge.body)).toMatch(/64 are taken/);
  const noise = Buffer.from('# v2 git bundle\nnoise');
  await send('handworker1', noise);
  expect(await report('handworker1', base, noise.length)).toMatchObject(refused);
  const other = bundle('Under another name', 'other');
  await send('handworker1', other.file);
  expect(await report('handworker1', other.tip, other.file.length)).toMatchObject(refused);
  const own = bundle('Its own');
  await send('handworker1', own.file);
  expect(await report('handworker1', base, own.file.length)).toMatchObject(refused);
  await send('handworker1', own.file.subarray(0, 100), own.file.length);
  expect(await report('handworker1', own.tip, own.file.length)).toMatchObject(refused);
  expect(runGit(copy('shut'), 'branch', '--list', branchOf('hand'))).toBe('');
  const late = job;
  await queue.giveBack(job);
  job = await next();
  expect((await claim('handworker2')).status).toBe(200);
  [job, told] = [late, 4];
  expect(await send('handworker1', own.file)).toMatchObject({ status: 200, body: { size: own.file.length } });
  expect((await report('handworker1', own.tip, own.file.length)).status).toBe(409);
  expect(runGit(copy('shut'), 'branch', '--list', branchOf('hand'))).toBe('');
  const kept = room.at(`.taskroom/turns/${job.turn}/branch.0.handworker1..bundle`);
  expect(readFileSync(kept)).toEqual(own.file);
  expect(room.read(`.taskroom/turns/${job.turn}/late.jsonl`)).toContain(own.tip);
  [job, told] = [{ ...late, attempt: 1 }, 0];
  const better = bundle('Of the attempt at work');
  await send('handworker2', better.file);
  const taken = await report('handworker2', better.tip, better.file.length);
  expect(taken).toMatchObject({ status: 200, body: { answers: [{ kind: 'done' }] } });
  expect(tipAt(copy('shut'), 'hand')).toBe(better.tip);
  await room.ok('archive', 'open');
  const asked = { worker: 'handworker2', free: 0, running: [], waitMs: 0 };
  const news = await call('/api/workers/wait', { ...asked, workspaces: ['open0001', 'hand0001'] });
  expect(news.body.over).toEqual(['open0001']);
}, 60_000);
