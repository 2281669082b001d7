// A branch that was worked on elsewhere, brought to a worker's worktree: real git, no daemon.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createGit } from '../../../../src/agents/workspace/git.ts';
import { goOn } from '../../../../src/app/workers/worker/workspace/branch-transfer.ts';
import type { WorkspaceRecord } from '../../../../src/app/workers/worker/workspace/records.ts';
import { makeProject } from '../../../support/git-server.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const BRANCH = 'taskroom/t1-Fix';
const git = createGit({ env: process.env, withheld: new Set() });
let base: string;
let project: string;
let path: string;
let said: string[];

function run(dir: string, ...args: string[]): string {
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: dir, encoding: 'utf8' }).trim();
}

/** A commit of that file on top of `on`, as another machine made it; resolves with its id. */
function commitElsewhere(on: string, file: string): string {
  const other = join(base, `other-${file}`);
  run(project, 'worktree', 'add', '--quiet', '--detach', other, on);
  writeFileSync(join(other, file), 'theirs\n');
  run(other, 'add', '.');
  run(other, 'commit', '--quiet', '-m', file);
  return run(other, 'rev-parse', 'HEAD');
}

function commitHere(file: string): string {
  writeFileSync(join(path, file), 'ours\n');
  run(path, 'add', '.');
  run(path, 'commit', '--quiet', '-m', file);
  return run(path, 'rev-parse', 'HEAD');
}

const tip = () => run(project, 'rev-parse', BRANCH);
const go = (to: string | null, handed: string | null = null) =>
  goOn(git, { row: { project, path, branch: BRANCH }, handed } as WorkspaceRecord, to, (line) =>
    said.push(line),
  );

beforeEach(() => {
  base = tempFolder('taskroom-go-on');
  project = join(base, 'project');
  path = join(base, 'tree');
  said = [];
  makeProject(project, { 'code.txt': 'one\n' });
  run(project, 'worktree', 'add', '--quiet', '-b', BRANCH, path);
});

test('the worktree goes with the branch, and keeps files that are in nobody’s way', async () => {
  writeFileSync(join(path, 'loose.txt'), 'mine\n');
  const theirs = commitElsewhere('main', 'theirs.txt');
  expect(await go(theirs)).toBe('as it is');
  expect(tip()).toBe(theirs);
  expect(readFileSync(join(path, 'theirs.txt'), 'utf8')).toBe('theirs\n');
  expect(existsSync(join(path, 'loose.txt'))).toBe(true);
  rmSync(path, { recursive: true });
  const more = commitElsewhere(theirs, 'more.txt');
  expect(await go(more)).toBe('as it is');
  expect(tip()).toBe(more);
});

test('what is here and was not handed over yet stays, as long as nobody else worked on it', async () => {
  const first = commitHere('a.txt');
  const second = commitHere('b.txt');
  expect(await go(first)).toBe('as it is');
  expect(await go(null)).toBe('as it is');
  run(path, 'commit', '--quiet', '--amend', '-m', 'Again');
  expect(await go(second, second)).toBe('as it is');
  expect(tip()).toBe(run(path, 'rev-parse', 'HEAD'));
  expect(said).toEqual([]);
});

test('where both went on, or a file is in the way, what is only here is set aside under another name', async () => {
  const ours = commitHere('ours.txt');
  const theirs = commitElsewhere('main', 'theirs.txt');
  expect(await go(theirs)).toBe('anew');
  const kept = `${path}.kept-${ours.slice(0, 10)}`;
  expect(run(project, 'branch', '--list', BRANCH)).toBe('');
  expect(run(project, 'rev-parse', `${BRANCH}-kept-${ours.slice(0, 10)}`)).toBe(ours);
  expect(readFileSync(join(kept, 'ours.txt'), 'utf8')).toBe('ours\n');
  expect(existsSync(path)).toBe(false);
  expect(said).toEqual([expect.stringContaining(`kept as ${BRANCH}-kept-`)]);
  run(project, 'worktree', 'add', '--quiet', '-b', BRANCH, path, 'main');
  writeFileSync(join(path, 'theirs.txt'), 'not committed\n');
  expect(await go(theirs)).toBe('anew');
  const base10 = run(project, 'rev-parse', 'main').slice(0, 10);
  expect(readFileSync(join(`${path}.kept-${base10}`, 'theirs.txt'), 'utf8')).toBe('not committed\n');
});
