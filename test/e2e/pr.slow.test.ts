// `taskroom pr`: the branch of a task as a pull request, with real git, a GitHub-shaped server and the real program.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';
import { runGit } from '../support/git-server.ts';
import { endCheck, mergePull, reviewPull } from '../support/github-server/people.ts';
import { CREDENTIALS } from './github-room.ts';
import { COMMIT, createPullProject } from './pull-request-project.ts';
import { PROGRAM } from './room.ts';

const site = forEachTest(() => createPullProject());

const WORK = `echo two >> code.txt; ${COMMIT}; echo 'It works, says @bob.' | taskroom outcome -; taskroom done`;
const TASK = 'Login fails (web#1)';

beforeEach(() => {
  site.settings();
  site.chore();
  site.agent(WORK, { checks: ['grep -q two code.txt'] });
});

const posts = () =>
  site.server.served.filter(({ method, path }) => method === 'POST' && path.endsWith('/pulls'));

async function worked(): Promise<void> {
  await site.ok('sync');
  await site.ok('once');
  expect(site.room.read(`tasks/${TASK}.md`)).toContain('status: done');
}

test('it is opened once, with the outcome, what was checked, and the issue that it closes', async () => {
  await worked();
  const {
    opened,
    pull_requests: [pull],
  } = await site.json('pr', TASK);
  expect(opened).toEqual(['acme/web#2']);
  expect(pull).toMatchObject({ ref: 'acme/web#2', state: 'open', draft: false, verdict: 'none' });
  expect(site.pull()).toMatchObject({ title: 'Login fails', head: pull.branch, base: 'main', draft: false });
  const { body } = site.pull();
  expect(body).toMatch(/^\*\*Outcome\*\*\n/);
  // Words of agents call nobody.
  expect(body).toContain('It works, says @\u200bbob.');
  expect(body).toMatch(/\n\n\*\*Checked\*\*\n\n- `grep -q two code.txt: ok`\n\nCloses #1\.$/);
  expect(runGit(site.origin, 'log', '-1', '--format=%s', pull.branch)).toBe('Fixed');

  expect(await site.ok('pr', TASK)).toBe(`✓ acme/web#2 is open: ${pull.url}\n`);
  expect(site.repo.pulls).toHaveLength(1);
  expect(site.room.read(`tasks/${TASK}.md`).match(/Pull request:/g)).toHaveLength(1);
  expect(site.room.sql('SELECT * FROM outbox')).toEqual([]);
  expect(await site.ok('show', TASK)).toContain('acme/web#2: open');
});

test('what was committed since is pushed when it is asked for again', async () => {
  await worked();
  await site.ok('pr', TASK);
  const { branch, path } = await site.json('diff', TASK, '--stat');
  runGit(path, 'commit', '--quiet', '--allow-empty', '-m', 'More');
  const {
    opened,
    pull_requests: [pull],
  } = await site.json('pr', TASK);
  expect([opened, pull.commit]).toEqual([[], runGit(site.origin, 'rev-parse', branch)]);
  expect(runGit(site.origin, 'log', '-1', '--format=%s', branch)).toBe('More');
});

test('it is one, also where the program was killed between its push and its record', async () => {
  await worked();
  const held = Promise.withResolvers<void>();
  site.server.state.hold = ({ method, status }) => {
    if (method !== 'POST' || status !== 201) return null;
    held.resolve();
    return new Promise(() => {});
  };
  const child = spawn(process.execPath, [PROGRAM, '--room', site.room.dir, 'pr', TASK], {
    env: { ...process.env, ...CREDENTIALS, ...site.room.daemonEnv },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await held.promise;
  child.kill('SIGKILL');
  await ended;
  expect(site.room.sql('SELECT kind FROM outbox')).toEqual([{ kind: 'pull_request' }]);
  expect(site.room.sql('SELECT * FROM pulls')).toEqual([]);
  delete site.server.state.hold;

  // Whoever runs the room next takes it up.
  await site.ok('once');
  expect(site.repo.pulls).toHaveLength(1);
  expect(site.room.sql('SELECT * FROM outbox')).toEqual([]);
  expect(await site.json('show', TASK)).toMatchObject({
    pull_requests: [{ ref: 'acme/web#2', state: 'open' }],
  });
  expect(await site.ok('pr', TASK)).toMatch(/^✓ acme\/web#2 is open: /);
});

test('it is refused, with what to do, before anything is pushed', async () => {
  const refused = async (word: string, env = {}) => {
    const { code, stderr } = await site.run(['pr', word], env);
    expect(code).not.toBe(0);
    expect(site.branches()).toEqual(['main']);
    expect(site.repo.pulls).toBeUndefined();
    return stderr;
  };
  site.room.save('tasks/Apart.md', '---\nid: apart\nstatus: draft\n---\nNothing.\n');
  expect(await refused('Apart')).toMatch(/no workspace[\s\S]*docs\/workspaces\.md/);

  site.agent('echo three >> code.txt; taskroom progress tried; taskroom done', { checks: [] });
  await worked();
  expect(await refused(TASK)).toMatch(/1 file with changes that are not committed[\s\S]*taskroom comment/);
  const { path } = await site.json('diff', TASK, '--stat');
  runGit(path, 'checkout', '--quiet', 'code.txt');
  expect(await refused(TASK)).toMatch(/nothing is committed[\s\S]*taskroom comment/);

  runGit(path, 'commit', '--quiet', '--allow-empty', '-m', 'Something');
  expect(await refused(TASK, { GITHUB_TOKEN: '' })).toMatch(/a GitHub token is missing[\s\S]*GITHUB_TOKEN/);
  site.server.state.tokens.set('reader', { login: 'me', access: 'read' });
  expect(await refused(TASK, { GITHUB_TOKEN: 'reader' })).toMatch(
    /may open no pull requests in acme\/web; nothing was pushed[\s\S]*Pull requests: read and write/,
  );
  expect(posts().map(({ status }) => status)).toEqual([403]);
  expect(site.room.sql('SELECT * FROM outbox')).toEqual([]);

  runGit(site.project, 'remote', 'set-url', 'origin', 'https://someone:secret@example.com/acme/web.git');
  const elsewhere = await refused(TASK);
  expect(elsewhere).toMatch(/no repository on GitHub[\s\S]*git remote set-url/);
  expect(elsewhere).not.toContain('secret');
  runGit(site.project, 'remote', 'remove', 'origin');
  expect(await refused(TASK)).toMatch(/no remote/);
});

test('its state stands with the task, it waits in the inbox for a review, and merged means done', async () => {
  site.agent(`${WORK.replace('; taskroom done', '')}; taskroom progress later`);
  await site.ok('sync');
  await site.ok('once');
  await site.ok('pr', TASK);
  const { server, repo } = site;
  const sha = repo.tipOf!(site.pull().head)!;
  endCheck(server.state, repo, { name: 'build', sha, conclusion: null });
  await site.ok('sync');
  const inbox = async () =>
    (await site.json('inbox')).inbox.filter(({ kind }: { kind: string }) => kind === 'review');
  expect(await inbox()).toEqual([]);
  repo.checks![0]!.conclusion = 'success';
  await site.ok('sync');
  expect(await inbox()).toMatchObject([
    {
      text: expect.stringMatching(/^acme\/web#2 waits for your review: .*\/pull\/2; .*taskroom diff/),
      settle: expect.stringMatching(/^taskroom pr \w+ --merge$/),
    },
  ]);
  reviewPull(server.state, site.pull(), 'mallory', 'APPROVED', 'Ship it!');
  await site.ok('sync');
  // Nobody the room trusts has looked at it.
  expect(await inbox()).toHaveLength(1);
  reviewPull(server.state, site.pull(), 'alice', 'APPROVED');
  await site.ok('sync');
  expect(await inbox()).toEqual([]);
  const {
    pull_requests: [pull],
    status,
  } = await site.json('show', TASK);
  expect(pull).toMatchObject({
    ...{ state: 'open', verdict: 'approved', mergeable: true, trouble: null },
    checks: [{ name: 'build', state: 'passed' }],
    reviews: [
      { author: 'mallory', trusted: false, verdict: 'approved', text: 'Ship it!' },
      { author: 'alice', trusted: true, verdict: 'approved' },
    ],
  });
  expect(status).toBe('doing');
  mergePull(server.state, site.pull());
  await site.ok('sync');
  expect(await site.json('show', TASK)).toMatchObject({
    status: 'done',
    pull_requests: [{ state: 'merged' }],
  });
  expect(site.room.read(`tasks/${TASK}.md`)).toContain('Done: merged acme/web#2');
});

test('the command that its line of the inbox names merges it, as it was reviewed', async () => {
  site.agent(WORK.replace('; taskroom done', '; taskroom progress later'));
  await site.ok('sync');
  await site.ok('once');
  expect((await site.run(['pr', TASK, '--merge'])).stderr).toMatch(/has no pull request[\s\S]*taskroom pr/);
  await site.ok('pr', TASK);
  const [{ settle }] = (await site.json('inbox')).inbox;
  const { path } = await site.json('diff', TASK, '--stat');
  runGit(path, 'commit', '--quiet', '--allow-empty', '-m', 'More');
  const merge = () => site.run(settle.split(' ').slice(1));
  expect((await merge()).stderr).toMatch(/has commits that acme\/web#2 has not[\s\S]*taskroom pr/);
  await site.ok('pr', TASK);
  site.pull().mergeable = false;
  expect((await merge()).stderr).toMatch(
    /does not take the merge of acme\/web#2: Pull Request is not mergeable/,
  );
  site.pull().mergeable = true;
  site.repo.noMergeCommits = true;
  expect((await merge()).stdout).toMatch(/^✓ acme\/web#2 is merged: /);
  expect((await merge()).stdout).toMatch(/^✓ acme\/web#2 is merged: /);
  expect(site.pull().mergedAt).not.toBeNull();
  expect((await site.json('inbox')).inbox).toEqual([]);
  expect(await site.json('show', TASK)).toMatchObject({
    status: 'done',
    pull_requests: [{ state: 'merged' }],
  });
});

test('a daemon looks at it by its own schedule, also where nothing mirrors the repository any more', async () => {
  site.settings('pr:', '  every: 1s');
  site.room.save('tasks/Alone.md', '---\nstatus: todo\n---\nWrite two.\n');
  await site.ok('once');
  await site.ok('pr', 'Alone');
  expect(site.pull().body).not.toContain('Closes');
  rmSync(site.room.at('chores/web.md'));
  Object.assign(site.room.daemonEnv, CREDENTIALS);
  const daemon = await site.room.up();
  const from = daemon.mark();
  mergePull(site.server.state, site.pull());
  await daemon.see('pull_request.changed', { name: 'Alone', ref: 'acme/web#2', state: 'merged' }, from);
});
