// A GitHub mirror through the real program: an address is linked, and without a token the room runs and says what is
// missing (T11).
import { readdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forEachTest, partOf } from '../support/for-each-test.ts';
import { openIssue } from '../support/github-server/people.ts';
import { createGithubRoom, NO_CREDENTIALS as without, CREDENTIALS as withToken } from './github-room.ts';

const github = forEachTest(() => createGithubRoom());
const [room, server, repo] = [partOf(github, 'room'), partOf(github, 'server'), partOf(github, 'repo')];

async function ok(env: Record<string, string>, ...args: string[]): Promise<string> {
  const ran = await room.run(args, { env });
  expect(ran, args.join(' ')).toMatchObject({ code: 0 });
  return ran.stdout;
}

test('without a token the room runs; sync, doctor and context say what is missing and how to give it', async () => {
  openIssue(server.state, repo, { title: 'Login fails', body: 'It does.' });
  await ok(withToken, 'sync');
  const name = 'Login fails (web#1)';
  const before = JSON.parse(await ok(withToken, 'context', name, '--json'));
  expect(before.context.task_services).toEqual({ read: true, write: true, comment: true });

  const asked = server.served.length;
  const failed = await room.run(['sync'], { env: without });
  expect(failed.code).not.toBe(0);
  expect(failed.stdout).toMatch(/GitHub token[\s\S]*GITHUB_TOKEN/);
  expect(server.served).toHaveLength(asked);
  expect(await ok(without, 'chores')).toMatch(/synced .* ago, when asked\n +! .*GitHub token.*GITHUB_TOKEN/);
  const examined = await room.run(['doctor'], { env: without });
  expect(examined.code).toBe(6);
  expect(examined.stdout).toMatch(/✗ mirrors +chores\/web\.md lacks a GitHub token\n +Set GITHUB_TOKEN/);

  const { context, prompt } = JSON.parse(await ok(without, 'context', name, '--json'));
  expect(context.task_services).toEqual({ read: true, write: false, comment: false });
  expect(context.missing).toMatchObject([
    { service: 'write', what: 'a GitHub token', how: expect.stringContaining('GITHUB_TOKEN') },
    { service: 'comment', what: 'a GitHub token', how: expect.stringContaining('GITHUB_TOKEN') },
  ]);
  expect(prompt).toContain('missing write: a GitHub token');

  await ok(without, 'new', 'A local one', 'Hello.');
  await ok(without, 'once');
  expect(JSON.parse(await ok(without, 'turns', '--json')).turns).toHaveLength(2);
  await ok(withToken, 'sync');
  const after = JSON.parse(await ok(withToken, 'context', name, '--json'));
  expect(after.context.task_services).toEqual({ read: true, write: true, comment: true });
});

test('a runbook that ran before its task was published: how it ended goes up, what its program printed does not', async () => {
  room.agent('runbook', { runner: 'runbook' });
  await ok(without, 'new', 'Check', '```sh run\necho "key=$((40 + 2))"\n```', '--owner', 'runbook');
  await ok(without, 'once');
  expect(room.read('tasks/Check.md')).toContain('```\nkey=42\n```');
  await ok(withToken, 'publish', 'Check');
  await ok(withToken, 'sync');
  const [issue] = [...repo.issues.values()];
  const said = JSON.stringify(issue!.comments.map(({ body }) => body));
  expect(said).toContain('The block succeeded.');
  expect(said).not.toContain('key=42');
});

test('M12: where the only chore has a mistake in it, sync says which and where', async () => {
  room.edit('chores/web.md', (text) => text.replace('schedule: off', 'schedule: [off'));
  const ran = await room.run(['sync'], { env: withToken });
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(/chores\/web\.md can't be read/);
  expect(ran.stderr).toMatch(/chores\/web\.md:\d+:\d+/);
});

test('a comment that was not sent before the ledger was lost is named once, with what to do; said again it goes up', async () => {
  const issue = openIssue(server.state, repo, { title: 'Login fails' });
  await ok(withToken, 'sync');
  const name = 'Login fails (web#1)';
  await ok(without, 'comment', name, 'Which version?');
  for (const suffix of ['', '-wal', '-shm']) rmSync(room.at(`.taskroom/ledger.db${suffix}`), { force: true });
  const first = await ok(withToken, 'sync');
  expect(first).toMatch(/@owner \d{4}-\d\d-\d\d \d\d:\d\d.*say it again with .taskroom comment/);
  expect(issue.comments).toEqual([]);
  expect(await ok(withToken, 'sync')).not.toContain('say it again');
  await ok(withToken, 'comment', name, 'Which version, again?');
  await ok(withToken, 'sync');
  expect(issue.comments.map(({ body }) => body)).toEqual([expect.stringContaining('Which version, again?')]);
  await ok(withToken, 'sync');
  expect(issue.comments).toHaveLength(1);
});

test('M10: with `push: []` the reason stands once', async () => {
  room.edit('chores/web.md', (text) => text.replace('  url:', '  push: []\n  url:'));
  openIssue(server.state, repo, { title: 'Login fails' });
  await ok(withToken, 'sync');
  const { context } = JSON.parse(await ok(withToken, 'context', 'Login fails (web#1)', '--json'));
  expect(context.missing.map(({ service }: { service: string }) => service)).toEqual(['write', 'comment']);
});

test('a scheduled mirror without a token is a failed chore that says how to mend it, beside a room that works', async () => {
  room.edit('chores/web.md', (text) => text.replace('schedule: off', 'schedule: every 1h'));
  await ok(without, 'new', 'A local one', 'Hello.');
  const ran = await room.run(['once'], { env: without });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/! web +sync failed: .*token.*GITHUB_TOKEN/s);
  expect(ran.stdout.match(/GITHUB_TOKEN/g)).toHaveLength(
    ran.stdout.includes('GITHUB_TOKEN (or GH_TOKEN)') ? 1 : 0,
  );
  expect(ran.stdout).toMatch(/✓ A local one +turn completed/);
  expect(await ok(without, 'chores')).toMatch(/GitHub token|GITHUB_TOKEN/);
});

test('a shell without the token has the daemon that has it sync, link and publish, and says so', async () => {
  openIssue(server.state, repo, { title: 'Login fails', body: 'It does.' });
  const second = openIssue(server.state, repo, { title: 'Second', body: 'Of two.' });
  Object.assign(room.daemonEnv, withToken);
  const daemon = await room.up('--no-http');
  await daemon.see('api.ready');
  const said = expect.stringContaining(
    'this shell lacks a GitHub token for web: the daemon that runs here does it',
  );
  const run = (...args: string[]) => room.run(args, { env: without });
  expect(await run('sync', '--dry-run', '--json')).toMatchObject({ code: 0, stderr: said });
  expect(readdirSync(room.at('tasks'))).toEqual([]);
  const synced = await run('sync', '--json');
  expect(synced).toMatchObject({ code: 0, stderr: said });
  expect(JSON.parse(synced.stdout).reports).toMatchObject([{ chore: 'web', created: 2, error: null }]);
  await ok(without, 'unlink', `acme/web#${second.number}`);
  expect(await run('link', 'Second (web#2)', `acme/web#${second.number}`)).toMatchObject({
    code: 0,
    stderr: said,
  });
  await ok(without, 'new', 'Mine', 'Do it.');
  expect(await run('publish', 'Mine')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('acme/web#3'),
    stderr: said,
  });
  expect((await room.run(['sync'], { env: withToken })).stderr).toBe('');
  daemon.signal('SIGTERM');
  await daemon.ended;
  expect((await run('sync')).stdout).toContain('GitHub token');
});
