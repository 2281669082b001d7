// Locks of gits that were killed in a worker's workspace, and of those that still work there: real git, no daemon.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createGit } from '../../../../src/agents/workspace/git.ts';
import {
  removeAllLocks,
  removeOwnLocks,
  removeSharedLocks,
} from '../../../../src/app/workers/worker/workspace/left-locks.ts';
import { makeProject } from '../../../support/git-server.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const BRANCH = 'taskroom/t1-Fix';
const git = createGit({ env: process.env, withheld: new Set() });
let base: string;
let repositories: string;
let project: string;
let trees: string;
let path: string;
let lock: string;

const WHO = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
const run = (dir: string, ...args: string[]) =>
  execFileSync('git', [...WHO, ...args], { cwd: dir, encoding: 'utf8', stdio: 'pipe' }).trim();
const own = () => removeOwnLocks(git, { project, path, branch: BRANCH });
const commit = () => run(path, 'commit', '--quiet', '--allow-empty', '-m', 'More');

/** A commit whose message is asked for by that shell command, while git holds the lock. */
function commitBy(editor: string): ChildProcess {
  const env = { ...process.env, GIT_EDITOR: editor };
  writeFileSync(join(path, 'code.txt'), 'two\n');
  return spawn('git', [...WHO, 'commit', '--all'], { cwd: path, env, stdio: 'ignore' });
}

async function killedGit(): Promise<void> {
  const killed = commitBy('kill -9 $PPID; true');
  await new Promise((resolve) => killed.on('close', resolve));
}

beforeEach(() => {
  base = tempFolder('taskroom-locks');
  repositories = join(base, 'repositories');
  project = join(repositories, 'web-0123456789.git');
  trees = join(base, 'worktrees');
  path = join(trees, 't1-Fix');
  const first = join(base, 'first');
  makeProject(first, { 'code.txt': 'one\n' });
  mkdirSync(repositories);
  run(base, 'clone', '--quiet', '--bare', first, project);
  run(project, 'worktree', 'add', '--quiet', '-b', BRANCH, path);
  lock = run(path, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock');
});

test('what a git that was killed left is in nobody’s way', async () => {
  await killedGit();
  expect(existsSync(lock)).toBe(true);
  expect(() => commit()).toThrow(/index.lock/);
  expect(await own()).toEqual([lock]);
  commit();
  const ref = join(project, 'refs/heads', `${BRANCH}.lock`);
  writeFileSync(ref, '');
  expect(() => commit()).toThrow(/cannot lock ref/);
  expect(await own()).toEqual([ref]);
  commit();
  expect(await own()).toEqual([]);
});

test('a lock that a git holds, or another program has open, stays', async () => {
  const begun = join(base, 'begun');
  const go = join(base, 'go');
  execFileSync('mkfifo', [begun, go]);
  const at = commitBy(`echo > '${begun}'; read -r word < '${go}'; exit 1 #`);
  const ended = new Promise((resolve) => at.on('close', resolve));
  execFileSync('cat', [begun]);
  expect(await own()).toEqual([]);
  expect(existsSync(lock)).toBe(true);
  writeFileSync(go, 'go\n');
  await ended;
  expect(existsSync(lock)).toBe(false);
  const file = openSync(lock, 'w');
  expect(await own()).toEqual([]);
  closeSync(file);
  expect(await own()).toEqual([lock]);
});

test('what all worktrees share is let go of while no git works in any, and all of it when the worker begins', async () => {
  const packed = join(project, 'packed-refs.lock');
  writeFileSync(packed, '');
  expect(() => run(project, 'pack-refs', '--all')).toThrow(/packed-refs.lock/);
  expect(await removeSharedLocks(project, trees)).toEqual([packed]);
  run(project, 'pack-refs', '--all');
  const left = ['config.lock', 'refs/remotes/origin/main.lock'].map((name) => join(project, name));
  for (const file of left) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  expect(await removeAllLocks(base, repositories)).toEqual(left);
  expect(await removeAllLocks(base, join(base, 'nowhere'))).toEqual([]);
});
