// The branch of a done task as a draft pull request: a real git remote, a GitHub-shaped server, the real program.
import { renameSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest, partOf } from '../support/for-each-test.ts';
import { runGit } from '../support/git-server.ts';
import { openIssue } from '../support/github-server/people.ts';
import { CREDENTIALS as env } from './github-room.ts';
import { COMMIT, createPullProject } from './pull-request-project.ts';

const site = forEachTest(() => createPullProject());
const [room, repo] = [partOf(site, 'room'), partOf(site, 'repo')];
beforeEach(() => {
  site.settings();
  site.chore('publish: pull_request');
  agent(`${COMMIT}; `);
});

const agent = (commit: string) =>
  site.agent(`echo two >> code.txt; ${commit}taskroom progress worked; taskroom done "$TASKROOM_TASK"`);
const task = () => room.read('tasks/Login fails (web#1).md');

test('is opened once, names the issue, and its address stands in the file', async () => {
  await site.ok('sync');
  await site.ok('once');
  const branch = site.branches().find((name) => name.startsWith('taskroom/'));
  expect(repo.pulls).toMatchObject([
    {
      ...{ number: 2, title: 'Login fails', body: 'Closes #1.', head: branch, base: 'main', draft: true },
      ...{ state: 'open' },
    },
  ]);
  expect(task()).toMatch(/taskroom <!-- note -->\n\nPull request: http.*\/acme\/web\/pull\/2\n/);
  expect(repo.issues[0]!.state).toBe('closed');
  expect(JSON.stringify(site.server.served.map(({ body }) => body))).not.toContain('Branch `');

  // As after a crash between the tracker's answer and its record.
  room.sql('DELETE FROM pulls');
  await site.ok('sync');
  await site.ok('sync');
  expect(repo.pulls).toHaveLength(1);
  expect(task().match(/Pull request:/g)).toHaveLength(1);
  expect(room.sql("SELECT json_extract(seen, '$.url') AS url FROM pulls")).toEqual([
    { url: expect.stringContaining('/acme/web/pull/2') },
  ]);
  expect(room.sql('SELECT * FROM outbox')).toEqual([]);
});

test('waits for the checks, for a commit, and for a remote that takes the branch', async () => {
  site.chore('publish: pull_request', 'checks: ["test -f pass"]');
  await site.ok('sync');
  await room.run(['once'], { env });
  expect(repo.pulls).toBeUndefined();
  expect(site.branches()).toEqual(['main']);
  site.chore('publish: pull_request');
  room.sql("UPDATE said_words SET said = '[]', seen = '[]' WHERE source = 'chore:web'");
  const away = `${site.origin}.away`;
  renameSync(site.origin, away);
  room.sql('UPDATE tasks SET retry_at = 1 WHERE retry_at IS NOT NULL');
  await site.ok('once');
  expect(task()).toContain('status: done');
  expect(task()).toMatch(/No pull request: git could not push taskroom\/.*; git has to be able to push/);
  expect(repo.issues[0]!.state).toBe('closed');
  renameSync(away, site.origin);
  await site.ok('sync');
  expect(repo.pulls).toHaveLength(1);
  expect(task().match(/No pull request:/g)).toHaveLength(1);
});

test('is never made of a branch without a commit, nor by force over what the remote has', async () => {
  agent('git checkout --quiet code.txt; ');
  await site.ok('sync');
  await site.ok('once');
  expect(repo.pulls).toBeUndefined();
  expect(site.branches()).toEqual(['main']);

  agent(`${COMMIT}; `);
  openIssue(site.server.state, repo, { title: 'Search fails', body: 'It does.', user: 'alice' });
  await site.ok('sync');
  const id = (JSON.parse(await site.ok('show', 'Search fails (web#2)', '--json')) as { id: string }).id;
  const names = JSON.parse(await site.ok('list', '--json')) as { tasks: { id: string; name: string }[] };
  expect(names.tasks.map((one) => one.id)).toContain(id);
  await site.ok('once');
  const branch = site.branches().find((name) => name.includes(id))!;
  const other = runGit(site.project, 'commit-tree', '-m', 'Theirs', 'main^{tree}');
  site.push('--force', `${other}:refs/heads/${branch}`);
  room.sql('DELETE FROM pulls');
  await site.ok('sync');
  expect(runGit(site.origin, 'rev-parse', branch)).toBe(other);
  expect(room.read('tasks/Search fails (web#2).md')).toContain('No pull request: git could not push');
});
