// Workspaces of turns on other machines: a real git server, a real PostgreSQL, workers as processes with homes of their own. One
// room for all cases, each with an agent of its own.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitServer, runGit, startGitServer } from '../support/git-server.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import type { Daemon } from './daemon.ts';
import { until } from './room.ts';
import { createSite, type Site } from './workers.ts';

let postgres: Postgres;
let server: GitServer;
let site: Site;
let daemon: Daemon;

const COMMIT = 'git -c user.name=A -c user.email=a@example.com commit --quiet -am';

beforeAll(async () => {
  [postgres, server] = await Promise.all([startPostgres(), startGitServer()]);
  site = await createSite(postgres);
  daemon = await site.room.up('--port', '0');
  await daemon.see('api.ready');
}, 180_000);
afterAll(async () => {
  await site?.close();
  await postgres?.close();
  server?.close();
});

function agent(id: string, repository: string, script: string, config: object = {}): void {
  const workspace = { repository, branch: 'main' };
  const command = ['/bin/sh', '-c', script];
  site.room.agent(id, { runner: 'command', command, workspace, writes: false, ...config });
}

const save = (id: string) =>
  site.room.save(`tasks/${id}.md`, `---\nid: ${id}0001\nowner: ${id}\n---\nWork.\n`);
const branchOf = (id: string) => `taskroom/${id}0001-${id}`;
/** The host's own copy of a repository. */
function copy(name: string): string {
  const dir = site.room.at('.taskroom/repositories');
  return join(dir, readdirSync(dir).find((each) => each.startsWith(`${name}-`))!);
}
const tipAt = (dir: string, id: string) => runGit(dir, 'rev-parse', `refs/heads/${branchOf(id)}`);

test('a branch is pushed where that is taken: hooks run at the worker, checks where the room is', async () => {
  const { room } = site;
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
  const { room } = site;
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
  const { room } = site;
  const script = `taskroom progress "said once"; taskroom done; read -r go < '${room.at('gates/go')}'; echo two >> web/code.txt; ${COMMIT} "While away"; echo printed`;
  agent('away', server.url('shut'), script);
  const token = await site.token('same');
  const one = await site.worker('same', { token, args: ['--agents', 'away'] });
  room.gate('go');
  save('away');
  await until('it has begun', () => room.read('tasks/away.md').includes('status: done'));
  const port = new URL(site.url()).port;
  const url = site.url();
  await daemon.kill();
  room.open('go');
  const turns = () => readdirSync(one.home, { recursive: true, encoding: 'utf8' });
  await until('its branch is a file', () =>
    turns().some((name) => /turns.*branch\.[0-9a-f]+\.bundle$/.test(name)),
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
  expect(turns().filter((name) => /unsent\/./.test(name))).toEqual([]);
  after.signal('SIGTERM');
  await after.ended;
}, 120_000);

test('a project or a repository of the host alone is not started, and says so', async () => {
  const { room } = site;
  agent('local', room.dir, 'taskroom done');
  room.agent('tree', { runner: 'command', command: ['/bin/true'], workspace: 'worktree', cwd: '..' });
  save('local');
  save('tree');
  await daemon.see('task.waiting', { name: 'local' });
  await daemon.see('task.waiting', { name: 'tree' });
  const list = await room.ok('list');
  expect(list).toMatch(/lies on this machine, and a worker does not see it/);
  expect(list).toMatch(/worktree on this machine, which a worker does not see/);
  expect(existsSync(room.at('.taskroom/worktrees/local0001-local'))).toBe(false);
});
