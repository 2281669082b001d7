// Where the branch of a task begins: a branch, a tag or a pull request that its file or its agent names. Real git, the real program.
import { beforeEach, expect, test } from 'vitest';
import { forEachTest } from '../support/for-each-test.ts';
import { runGit } from '../support/git-server.ts';
import { COMMIT, createPullProject } from './pull-request-project.ts';

const site = forEachTest(() => createPullProject());
const commits = () => site.room.read('seen.txt').trim().split('\n');

beforeEach(() => {
  const { project, origin } = site;
  site.settings();
  runGit(project, 'tag', 'v1');
  runGit(project, 'switch', '--quiet', '-c', 'release/2');
  runGit(project, 'commit', '--quiet', '--allow-empty', '-m', 'Release 2');
  site.push('release/2');
  runGit(project, 'commit', '--quiet', '--allow-empty', '-m', 'Of somebody');
  site.push('HEAD:refs/pull/12/head');
  runGit(project, 'reset', '--quiet', '--hard', 'HEAD~1');
  runGit(project, 'switch', '--quiet', 'main');
  runGit(project, 'commit', '--quiet', '--allow-empty', '-m', 'Main goes on');
  site.agent(
    `git log --format=%s > ${site.room.at('seen.txt')}; echo two >> code.txt; ${COMMIT}; taskroom progress ok`,
  );
  expect(runGit(origin, 'for-each-ref', '--format=%(refname)')).toContain('refs/pull/12/head');
});

test.each([
  ['release/2', ['Release 2', 'First']],
  ['v1', ['First']],
  ['pull/12', ['Of somebody', 'Release 2', 'First']],
  ['"#12"', ['Of somebody', 'Release 2', 'First']],
])('base: %s in the file of a task', async (base, subjects) => {
  site.room.save('tasks/One.md', `---\nid: one00001\nbase: ${base}\n---\nDo it.\n`);
  await site.ok('once');
  expect(commits()).toEqual(subjects);
  expect(site.room.read('tasks/One.md')).toContain(`base: ${base}\n`);
  const { files } = await site.json('diff', 'One');
  expect(files).toMatchObject([{ path: 'code.txt', additions: 1 }]);
});

test('base of an agent, which that of a task overrules; the pull request goes there', async () => {
  site.agent(
    `git log --format=%s > ${site.room.at('seen.txt')}; echo two >> code.txt; ${COMMIT}; taskroom progress ok`,
    { workspace: { base: 'release/2' } },
  );
  site.room.save('tasks/One.md', '---\nid: one00001\n---\nDo it.\n');
  await site.ok('once');
  expect(commits()).toEqual(['Release 2', 'First']);
  site.chore();
  await site.ok('pr', 'One');
  expect(site.pull()).toMatchObject({ base: 'release/2' });
  await site.ok('new', 'Two', 'Do it.', '--base', 'v1');
  await site.ok('once');
  expect(commits()).toEqual(['First']);
});

test('a base that is not there stops the task with what to do', async () => {
  site.room.save('tasks/One.md', '---\nid: one00001\nbase: nowhere\n---\nDo it.\n');
  await site.run(['once']);
  const [line] = (await site.json('inbox')).inbox;
  expect(line).toMatchObject({
    kind: 'paused',
    text: expect.stringMatching(/has no branch or tag nowhere; push it/),
  });
});
