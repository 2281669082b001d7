// The branch of a done task as a draft pull request: a real git remote, a GitHub-shaped server, the real program.
import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openIssue } from '../support/github-server/people.ts';
import { type GithubServer, startGithubServer } from '../support/github-server/server.ts';
import { addRepo, type StoredRepo } from '../support/github-server/state.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { createRoom, type E2eRoom } from './room.ts';

let room: E2eRoom;
let server: GithubServer;
let repo: StoredRepo;
let base: string;

const git = (dir: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: dir,
    encoding: 'utf8',
  }).trim();
const branches = () => git(join(base, 'origin.git'), 'branch', '--format=%(refname:short)').split('\n');

beforeEach(async () => {
  [room, server] = await Promise.all([createRoom(), startGithubServer()]);
  base = tempFolder('taskroom-pulls');
  git(base, 'init', '--quiet', '--bare', '--initial-branch=main', 'origin.git');
  git(base, 'clone', '--quiet', join(base, 'origin.git'), 'project');
  const project = join(base, 'project');
  git(project, 'checkout', '--quiet', '-B', 'main');
  writeFileSync(join(project, 'code.txt'), 'one\n');
  git(project, 'add', '.');
  git(project, 'commit', '--quiet', '-m', 'First');
  git(project, 'push', '--quiet', 'origin', 'main');
  repo = addRepo(server.state, 'acme/web');
  repo.people.set('alice', 'MEMBER');
  repo.tipOf = (name) =>
    branches().includes(name) ? git(join(base, 'origin.git'), 'rev-parse', name) : null;
  room.settings('default_agent: smith', 'settle: 50ms');
  chore('pull_request');
  agent('git -c user.name=A -c user.email=a@example.com commit --quiet -am Fixed; ');
  openIssue(server.state, repo, { title: 'Login fails', body: 'It does.', user: 'alice' });
});
afterEach(async () => {
  await room.close();
  await server.close();
});

function chore(publish: string, ...more: string[]): void {
  const lines = [
    'provider: github',
    'source: acme/web',
    `url: ${server.url}`,
    `publish: ${publish}`,
    ...more,
  ];
  room.save('chores/web.md', `---\nschedule: off\nmirror:\n  ${lines.join('\n  ')}\n---\n`);
}

function agent(commit: string): void {
  const command = `echo two >> code.txt; ${commit}taskroom progress worked; taskroom done "$TASKROOM_TASK"`;
  room.agent('smith', { command, cwd: join(base, 'project'), workspace: 'worktree' });
}

const env = { GITHUB_TOKEN: 'good-token', GH_TOKEN: '', GITHUB_APP_ID: '', GH_CONFIG_DIR: '/nonexistent' };
async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await room.run(args, { env });
  expect({ code, stderr, stdout }, `${args.join(' ')}: ${stdout}`).toMatchObject({ code: 0 });
  return stdout;
}
const task = () => room.read('tasks/Login fails (web#1).md');

test('is opened once, names the issue, and its address stands in the file', async () => {
  await run('sync');
  await run('once');
  const branch = branches().find((name) => name.startsWith('taskroom/'));
  expect(repo.pulls).toMatchObject([
    {
      number: 2,
      title: 'Login fails',
      body: 'Closes #1.',
      head: branch,
      base: 'main',
      draft: true,
      state: 'open',
    },
  ]);
  expect(task()).toMatch(/taskroom <!-- note -->\n\nPull request: http.*\/acme\/web\/pull\/2\n/);
  expect(repo.issues[0]!.state).toBe('closed');
  expect(JSON.stringify(server.served.map(({ body }) => body))).not.toContain('Branch `');

  // As after a crash between the tracker's answer and its record.
  room.sql('DELETE FROM pulls');
  await run('sync');
  await run('sync');
  expect(repo.pulls).toHaveLength(1);
  expect(task().match(/Pull request:/g)).toHaveLength(1);
  expect(room.sql("SELECT json_extract(seen, '$.url') AS url FROM pulls")).toEqual([
    { url: expect.stringContaining('/acme/web/pull/2') },
  ]);
  expect(room.sql('SELECT * FROM outbox')).toEqual([]);
});

test('waits for the checks, for a commit, and for a remote that takes the branch', async () => {
  chore('pull_request', 'checks: ["test -f pass"]');
  await run('sync');
  await room.run(['once'], { env });
  expect(repo.pulls).toBeUndefined();
  expect(branches()).toEqual(['main']);
  chore('pull_request');
  room.sql("UPDATE said_words SET said = '[]', seen = '[]' WHERE source = 'chore:web'");
  renameSync(join(base, 'origin.git'), join(base, 'away.git'));
  room.sql('UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL');
  await run('once');
  expect(task()).toContain('status: done');
  expect(task()).toMatch(/No pull request: git could not push taskroom\/.*; git has to be able to push/);
  expect(repo.issues[0]!.state).toBe('closed');
  renameSync(join(base, 'away.git'), join(base, 'origin.git'));
  await run('sync');
  expect(repo.pulls).toHaveLength(1);
  expect(task().match(/No pull request:/g)).toHaveLength(1);
});

test('is never made of a branch without a commit, nor by force over what the remote has', async () => {
  agent('git checkout --quiet code.txt; ');
  await run('sync');
  await run('once');
  expect(repo.pulls).toBeUndefined();
  expect(branches()).toEqual(['main']);

  agent('git -c user.name=A -c user.email=a@example.com commit --quiet -am Fixed; ');
  openIssue(server.state, repo, { title: 'Search fails', body: 'It does.', user: 'alice' });
  await run('sync');
  const id = (JSON.parse(await run('show', 'Search fails (web#2)', '--json')) as { id: string }).id;
  const names = JSON.parse(await run('list', '--json')) as { tasks: { id: string; name: string }[] };
  expect(names.tasks.map((one) => one.id)).toContain(id);
  await run('once');
  const branch = branches().find((name) => name.includes(id))!;
  const other = git(join(base, 'project'), 'commit-tree', '-m', 'Theirs', 'main^{tree}');
  git(join(base, 'project'), 'push', '--quiet', '--force', 'origin', `${other}:refs/heads/${branch}`);
  room.sql('DELETE FROM pulls');
  await run('sync');
  expect(git(join(base, 'origin.git'), 'rev-parse', branch)).toBe(other);
  expect(room.read('tasks/Search fails (web#2).md')).toContain('No pull request: git could not push');
});
