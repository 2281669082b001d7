// A draft pull request of a branch that a worker made and may not push: it comes to the host as a file, and the host, whose git
// may push, hands it to GitHub. A real git server, a GitHub-shaped one, a real PostgreSQL.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../support/git-server.ts';
import { openIssue } from '../support/github-server/people.ts';
import { type GithubServer, startGithubServer } from '../support/github-server/server.ts';
import { addRepo } from '../support/github-server/state.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { createSite, type Site } from './workers.ts';

let postgres: Postgres;
let repositories: GitServer;
let github: GithubServer;
let site: Site;
beforeAll(async () => {
  [postgres, repositories, github] = await Promise.all([
    startPostgres(),
    startGitServer(),
    startGithubServer(),
  ]);
  site = await createSite(postgres);
}, 60_000);
afterAll(async () => {
  await site?.close();
  await github?.close();
  repositories?.close();
  await postgres?.close();
});

test('a branch from a worker is pushed by the host and opened once, after its checks', async () => {
  const { room } = site;
  const repo = addRepo(github.state, 'acme/web');
  repo.people.set('alice', 'MEMBER');
  const branches = () => repositories.git('open', 'branch', '--format=%(refname:short)').split('\n');
  repo.tipOf = (name) => (branches().includes(name) ? repositories.git('open', 'rev-parse', name) : null);
  openIssue(github.state, repo, { title: 'Login fails', body: 'It does.', user: 'alice' });
  const script =
    'echo two >> code.txt; git -c user.name=A -c user.email=a@example.com commit --quiet -am Fixed; taskroom done';
  room.agent('smith', {
    ...{ command: ['/bin/sh', '-c', script], cwd: 'web' },
    workspace: { repository: repositories.url('shut'), base: 'main' },
    checks: ['grep -q two code.txt'],
  });
  const mirror = ['provider: github', 'source: acme/web', `url: ${github.url}`, 'publish: pull_request'];
  room.save(
    'chores/web.md',
    `---\nschedule: off\nmirror:\n  ${[...mirror, 'owner: smith'].join('\n  ')}\n---\n`,
  );
  // To the host the address that takes nothing leads, for pushing, to the one that does.
  const home = join(room.dir, 'home');
  room.save('home/.gitconfig', '');
  writeFileSync(
    join(home, '.gitconfig'),
    `[url "${repositories.url('open')}"]\n\tpushInsteadOf = ${repositories.url('shut')}\n`,
  );
  const env = { GITHUB_TOKEN: 'good-token', GH_TOKEN: '', GITHUB_APP_ID: '', HOME: home };
  Object.assign(room.daemonEnv, env);
  const daemon = await room.up('--port', '0');
  await daemon.see('api.ready');
  const worker = await site.worker('one', { args: ['--agents', 'smith'] });
  const sync = async () => expect(await room.run(['sync'], { env })).toMatchObject({ code: 0 });
  await sync();
  const end = await daemon.see('turn.ended', { name: 'Login fails (web#1)' });
  expect(end).toMatchObject({ state: 'completed', reason: 'ok' });
  const text = () => room.read('tasks/Login fails (web#1).md');
  await sync();
  expect(text()).toMatch(/Pull request: http.*\/acme\/web\/pull\/2/);
  const branch = branches().find((name) => name.startsWith('taskroom/'))!;
  expect(repo.pulls).toMatchObject([{ title: 'Login fails', head: branch, base: 'main', draft: true }]);
  expect(repositories.git('open', 'log', '-1', '--format=%s', branch)).toBe('Fixed');
  expect(repositories.git('shut', 'branch', '--list', 'taskroom/*')).toBe('');
  await sync();
  expect(repo.pulls).toHaveLength(1);
  // What leads to GitHub is the host's alone.
  expect(worker.said()).not.toContain('good-token');
}, 60_000);
