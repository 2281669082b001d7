// A task whose work is in several repositories: one worktree each in one folder, shown, merged, discarded and handed over together.
// Real git, and a GitHub-shaped server.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';
import { runGit } from '../support/git-server.ts';
import { mergePull, remarkOn } from '../support/github-server/people.ts';
import { createPullProject, type PullProject } from './pull-request-project.ts';

const COMMIT = 'git -c user.name=A -c user.email=a@example.com commit --quiet -am';
const TWO = `for each in web lib; do (cd $each && echo two >> code.txt && ${COMMIT} "Two of $each"); done`;

const site = forEachTest(() => createPullProject());
let lib: ReturnType<PullProject['another']>;
beforeEach(() => {
  lib = site.another('lib');
  site.settings();
});

const fromRoom = (dir: string) => relative(site.room.dir, dir);
const held = () => site.room.at('.taskroom/worktrees/one00001-One');
const heads = () => [site.project, lib.project].map((dir) => runGit(dir, 'log', '-1', '--format=%s', 'main'));

/** The task `One`, of an agent that works in both. */
function setUp(line: string, more: object = {}): void {
  const repositories = [fromRoom(site.project), fromRoom(lib.project)];
  const command = ['/bin/sh', '-c', line];
  site.room.agent('smith', { command, workspace: { repositories }, ...more });
  site.room.save('tasks/One.md', '---\nid: one00001\n---\nDo it.\n');
}

test('one branch in each, shown as one diff that git applies, merged all together or not at all', async () => {
  const log = site.room.at('log.txt');
  setUp(
    `cat > ${site.room.at('prompt.txt')}; ls > ${site.room.at('seen.txt')}; ${TWO}; taskroom progress ok`,
    { hooks: { after_create: `echo "created $(basename "$(pwd)")" >> ${log}` } },
  );
  await site.ok('once');
  expect(site.room.read('seen.txt')).toBe('lib\nweb\n');
  expect(readFileSync(log, 'utf8')).toBe('created one00001-One\n');
  expect(site.room.read('prompt.txt')).toContain("git worktrees of this task's own: `lib`, `web`");
  const diff = await site.json('diff', 'One');
  expect(diff.files.map(({ path }: { path: string }) => path)).toEqual(['lib/code.txt', 'web/code.txt']);
  expect(diff).toMatchObject({ branch: 'taskroom/one00001-One', path: held(), base: null });
  const patch = await site.ok('diff', 'One');
  expect(patch).toContain('+++ b/web/code.txt');

  writeFileSync(join(lib.project, 'code.txt'), 'another\n');
  runGit(lib.project, 'commit', '--quiet', '-am', 'Otherwise');
  const refused = await site.run(['merge', 'One']);
  expect(refused.stderr).toMatch(/lib: taskroom\/one00001-One and main change the same in code.txt/);
  expect(heads()).toEqual(['First', 'Otherwise']);
  runGit(lib.project, 'reset', '--quiet', '--hard', 'HEAD~1');
  expect(await site.ok('merge', 'One')).toMatch(
    /merged into main of lib at .*\n.*merged into main of web at/,
  );
  expect(heads()).toEqual(['Two of web', 'Two of lib']);

  await site.ok('done', 'One');
  await site.ok('archive', 'One');
  await site.ok('once');
  expect(readdirSync(join(held(), '..'))).toEqual([]);
  expect(runGit(lib.project, 'branch', '--list', 'taskroom/*')).toBe('');
});

test('a file in the way of one merge leaves the others unmerged; discarded work comes back in each', async () => {
  setUp(
    `for each in web lib; do (cd $each && echo new > extra.txt && git add . && ${COMMIT} "Two of $each"); done; taskroom progress ok`,
  );
  await site.ok('once');
  writeFileSync(join(site.project, 'extra.txt'), 'mine\n');
  expect((await site.run(['merge', 'One'])).stderr).toMatch(/web: git could not merge .*extra\.txt/);
  expect(heads()).toEqual(['First', 'First']);
  expect(readFileSync(join(site.project, 'extra.txt'), 'utf8')).toBe('mine\n');
  const { repositories } = await site.json('discard', 'One', '--yes');
  expect(repositories.map(({ repository }: { repository: string }) => repository)).toEqual(['lib', 'web']);
  expect(existsSync(held())).toBe(false);
  for (const [dir, name] of [
    [lib.project, 'lib'],
    [site.project, 'web'],
  ] as const) {
    expect(runGit(dir, 'branch', '--list', 'taskroom/*')).toBe('');
    const { reference } = repositories.find((one: { repository: string }) => one.repository === name);
    expect(runGit(dir, 'log', '-1', '--format=%s', reference)).toBe(`Two of ${name}`);
  }
});

test('each has its pull request; what is said of one wakes the task, and all merged are its done', async () => {
  setUp(`${TWO}; taskroom outcome Works; taskroom done`, { after: 'pr' });
  await site.chore();
  await site.ok('once');
  const [web, ofLib] = [site.repo.pulls![0]!, lib.repo.pulls![0]!];
  const show = () => site.json('show', 'One');
  expect((await show()).pull_requests.map(({ ref }: { ref: string }) => ref)).toEqual([
    'acme/lib#1',
    'acme/web#2',
  ]);
  expect([web.head, ofLib.head]).toEqual(['taskroom/one00001-One', 'taskroom/one00001-One']);
  site.room.agent('smith', {
    ...{ command: ['/bin/sh', '-c', `${TWO}; taskroom progress mended`], after: 'pr' },
    workspace: { repositories: [fromRoom(site.project), fromRoom(lib.project)] },
  });
  const remark = { path: 'code.txt', line: 2, hunk: '@@ -1 +1,2 @@\n one\n+two', body: 'Say three.' };
  remarkOn(site.server.state, ofLib, 'alice', remark);
  await site.ok('sync', '--full');
  await site.ok('once');
  await site.ok('once');
  expect(site.room.read('tasks/One.md')).toContain('Say three.');
  const tips = [site, lib].map(({ origin }) => runGit(origin, 'log', '--format=%s', 'taskroom/one00001-One'));
  expect(tips).toEqual(['Two of web\nTwo of web\nFirst', 'Two of lib\nTwo of lib\nFirst']);
  expect(ofLib.remarks.map(({ body }) => body)).toEqual(['Say three.', expect.stringMatching(/^Fixed in /)]);
  expect(web.remarks).toEqual([]);

  mergePull(site.server.state, ofLib);
  await site.ok('pr', 'One');
  expect(await show()).toMatchObject({
    status: 'doing',
    pull_requests: [{ state: 'merged' }, { state: 'open' }],
  });
  expect(await site.ok('pr', 'One', '--merge')).toMatch(/acme\/lib#1 is merged.*\n.*acme\/web#2 is merged/);
  expect((await show()).status).toBe('done');
});

test('a task names its own; what a crash left of them is made whole; two of one name are refused', async () => {
  site.agent(`pwd >> ${site.room.at('seen.txt')}; ls >> ${site.room.at('seen.txt')}; taskroom progress ok`);
  const task = (...repositories: string[]) =>
    site.room.save('tasks/One.md', `---\nid: one00001\nrepositories: [${repositories}]\n---\nDo it.\n`);
  task(fromRoom(site.project), lib.origin);
  await site.ok('once');
  expect(site.room.read('seen.txt')).toBe(`${held()}\nlib\nweb\n`);
  // As it lies where the runtime died before the second was made.
  rmSync(join(held(), 'lib'), { recursive: true });
  site.room.sql("UPDATE workspaces SET state = 'making' WHERE name = 'lib'");
  await site.ok('comment', 'One', 'Again.');
  await site.ok('once');
  expect(runGit(join(held(), 'lib'), 'symbolic-ref', '--short', 'HEAD')).toBe('taskroom/one00001-One');
  task(fromRoom(site.project), `${lib.origin}/../web.git`);
  await site.ok('run', 'One');
  await site.run(['once']);
  const [line] = (await site.json('inbox')).inbox;
  expect(line.text).toMatch(/two of them are called web, and each is a folder of its name/);
  const agent = {
    runner: 'command',
    command: 'true',
    workspace: { repositories: ['../a/web', '../b/Web.git'] },
  };
  site.room.agent('other', agent);
  expect((await site.run(['doctor'])).stdout).toMatch(/two repositories have one name/);
});
