// Git in a project whose own settings name programs, as an agent that may edit `.git/config` leaves them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createGit, remoteAddresses } from '../../../src/agents/workspace/git.ts';
import { readDiff } from '../../../src/agents/workspace/review.ts';
import { workOnlyHere } from '../../../src/agents/workspace/worktree.ts';
import { settingsOfPerson } from '../../../src/core/config/git-config.ts';
import { keysOfProject, repositoryOf } from '../../../src/tasks/room/init-room.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let project: string;
let proofs: string;
const plain = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

beforeEach(() => {
  dir = tempFolder('taskroom-git');
  [project, proofs] = [join(dir, 'project'), join(dir, 'proofs')];
  for (const folder of [project, proofs, join(dir, 'home')]) mkdirSync(folder);
  plain('init', '--quiet', '-b', 'main');
  writeFileSync(join(project, '.gitattributes'), '*.txt filter=bad=er diff=bad\n*.lfs filter=theirs\n');
  for (const name of ['notes.txt', 'big.lfs']) writeFileSync(join(project, name), 'one\n');
  plain('add', '.');
  plain('commit', '--quiet', '-m', 'One');
});

/** Puts programs wherever git takes one from a repository. */
function poison(): void {
  const program = (name: string) => {
    const path = join(dir, `${name}.sh`);
    writeFileSync(path, `#!/bin/sh\ntouch '${join(proofs, name)}'\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  };
  mkdirSync(join(project, '.git/hooks'), { recursive: true });
  for (const hook of ['post-checkout', 'pre-push', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(project, '.git/hooks', hook), `#!/bin/sh\ntouch '${join(proofs, hook)}'\n`);
    chmodSync(join(project, '.git/hooks', hook), 0o755);
  }
  const settings = [
    ['core.fsmonitor', program('fsmonitor')],
    ['core.sshCommand', program('ssh')],
    ['core.askPass', program('askpass')],
    ['filter.bad=er.clean', program('clean')],
    ['filter.bad=er.smudge', program('smudge')],
    ['filter.bad=er.required', 'true'],
    ['diff.bad.textconv', program('textconv')],
    ['diff.external', program('external')],
    ['log.showSignature', 'true'],
    ['gpg.program', program('gpg')],
    ['credential.helper', `!${program('helper')}`],
    ['protocol.ext.allow', 'always'],
    ['remote.far.url', `ext::${program('ext')}`],
    ['remote.near.url', join(dir, 'near.git')],
    ['remote.near.uploadpack', program('uploadpack')],
    ['remote.near.receivepack', program('receivepack')],
    ['core.gitProxy', program('proxy')],
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'near'],
    ['remote.near.promisor', 'true'],
  ];
  for (const [key, value] of settings) plain('config', key!, value!);
}

const OF_NOBODY = { env: { ...process.env, HOME: '' }, withheld: new Set<string>() };
const git = createGit(OF_NOBODY);

/** A submodule that an agent put into an empty folder of one, by files alone, with settings of its own. */
function poisonSubmodule(): void {
  const inside = join(dir, 'inside');
  execFileSync('git', ['clone', '--quiet', project, inside]);
  plain('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inside, 'sub');
  plain('commit', '--quiet', '-m', 'A submodule');
  cpSync(join(inside, '.git'), join(project, 'fake'), { recursive: true });
  rmSync(join(project, 'sub'), { recursive: true });
  mkdirSync(join(project, 'sub'));
  writeFileSync(join(project, 'sub/.git'), 'gitdir: ../fake\n');
  const named = (...setting: string[]) => plain('config', '--file', 'fake/config', ...setting);
  named('core.worktree', '../sub');
  named('filter.er.clean', `touch '${join(proofs, 'in-submodule')}'; cat`);
  writeFileSync(join(project, 'sub/.gitattributes'), '*.txt filter=er\n');
  writeFileSync(join(project, 'sub/notes.txt'), 'another text\n');
}

test('nothing that the project names is run', async () => {
  execFileSync('git', ['init', '--quiet', '--bare', join(dir, 'near.git')]);
  poisonSubmodule();
  poison();
  writeFileSync(join(project, 'notes.txt'), 'two, and longer\n');
  const tree = join(dir, 'tree');
  const calls = [
    ['status', '--porcelain'],
    ['diff', '--name-status', 'HEAD'],
    ['log', '--format=%h %s', '-p', '--no-ext-diff', '--no-textconv'],
    ['worktree', 'add', '--quiet', '-b', 'work', tree],
    ['push', '--quiet', 'near', 'refs/heads/work:refs/heads/work'],
    ['fetch', '--quiet', 'near', 'refs/heads/work'],
    ['-c', 'gc.auto=0', 'fetch', '--quiet', 'near', 'refs/heads/work'],
    ['ls-remote', '--symref', 'near', 'HEAD'],
  ];
  for (const args of calls) expect(await git(project, ...args), args.join(' ')).toMatchObject({ ok: true });
  for (const url of ['far', 'ssh://nobody@localhost:1/x', 'git://localhost:1/x'])
    expect((await git(project, 'fetch', url)).ok).toBe(false);
  // What is not there git would fetch from where the settings say.
  const gitWith = (variables: object) => createGit(OF_NOBODY, { ...variables });
  const worktree = { path: project, project, branch: 'main', base: 'HEAD' };
  expect((await readDiff(gitWith, worktree, { within: '', stat: true })).files.length).toBeGreaterThan(0);
  expect(await workOnlyHere(git, worktree)).toMatch(/uncommitted files/);
  const missing = '1'.repeat(40);
  expect((await git(project, 'cat-file', '-p', missing)).ok).toBe(false);
  expect(repositoryOf(project)).toBe(realpathSync(project));
  expect(keysOfProject(join(project, 'room'), project, 'claude')).toEqual({
    cwd: '..',
    workspace: 'worktree',
  });
  expect(readdirSync(proofs)).toEqual([]);
});

test('what a project has sent elsewhere, or seen by others, is known and taken off', async () => {
  plain('remote', 'add', 'origin', 'https://github.com/acme/web.git');
  expect(await remoteAddresses(git, project)).toEqual(['https://github.com/acme/web.git']);
  plain('config', 'remote.origin.pushurl', 'https://elsewhere.example/web.git');
  expect(await remoteAddresses(git, project)).toEqual(['https://elsewhere.example/web.git']);
  plain('config', '--add', 'remote.origin.pushurl', 'https://github.com/acme/web.git');
  await expect(remoteAddresses(git, project)).rejects.toMatchObject({ code: 'refused' });
  const listed = [
    'http.sslVerify\nfalse',
    'http.https://github.com/.proxy\nevil',
    'gc.recentObjectsHook\nevil',
  ];
  const settings = settingsOfPerson(listed.map((each) => `local\0${each.toLowerCase()}\0`).join(''));
  const values = Object.values(settings);
  expect(values).not.toContain('evil');
  for (const key of ['http.sslverify', 'http.https://github.com/.proxy', 'maintenance.auto'])
    expect(values).toContain(key);
});

test("what a person's own settings name is run", async () => {
  const home = join(dir, 'home');
  const mark = join(proofs, 'theirs');
  writeFileSync(join(home, '.gitconfig'), `[filter "theirs"]\n\tclean = "touch '${mark}'; cat"\n`);
  plain('config', 'filter.theirs.clean', `touch '${join(proofs, 'not-theirs')}'; cat`);
  writeFileSync(join(project, 'big.lfs'), 'two, and longer\n');
  const own = createGit({ env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '' }, withheld: new Set() });
  expect(await own(project, 'add', '.')).toMatchObject({ ok: true });
  expect(readdirSync(proofs)).toEqual(['theirs']);
  expect(existsSync(mark)).toBe(true);
});
