// Worktrees of a real git project, where making them was cut short, their place is taken, or they hold very much.
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGit, describeChanges } from '../../../src/agents/workspace/git.ts';
import { type Project, readProject } from '../../../src/agents/workspace/project.ts';
import {
  openWorktree,
  type Place,
  workOnlyHere,
  workspaceNames,
} from '../../../src/agents/workspace/worktree.ts';
import { makeProject, runGit as run } from '../../support/git-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let base: string;
let project: Project;
const git = createGit({
  env: { ...process.env, GIT_DIR: '/nowhere', SECRET: 'x' },
  withheld: new Set(['SECRET']),
});

beforeEach(async () => {
  base = tempFolder('taskroom-worktree');
  const dir = join(base, 'project');
  makeProject(dir, { 'code.txt': 'one\n' });
  const reading = await readProject(git, dir);
  if (!reading.ok) throw new Error(reading.message);
  project = reading.project;
});

const place = (change: Partial<Place> = {}): Place => ({
  root: join(base, 'root'),
  folder: 't1-Fix',
  branch: 'taskroom/t1-Fix',
  project,
  wasCutShort: false,
  ...change,
});

describe('names', () => {
  it.each([
    ['t1', 'Fix', 't1-Fix'],
    ['t1', 'Fix the build', /^t1-Fix-the-build-[0-9a-f]{6}$/],
    ['t1', 'Größe', /^t1-Gr-e-[0-9a-f]{6}$/],
    ['t1', '../../etc', /^t1-etc-[0-9a-f]{6}$/],
    ['t1', 'a..b', /^t1-a-\.b-[0-9a-f]{6}$/],
    ['t1', 'x.lock', /^t1-x-lock-[0-9a-f]{6}$/],
    ['t1', '…', /^t1-[0-9a-f]{6}$/],
    ['a..b', '-rf', /^a-\.b-[0-9a-f]{6}-rf-[0-9a-f]{6}$/],
    ['t1', 'x'.repeat(200), /^t1-x{40}-[0-9a-f]{6}$/],
  ])('of %s %s are safe for git and for disks', (id, name, folder) => {
    const names = workspaceNames(id, name);
    expect(names.folder).toMatch(folder instanceof RegExp ? folder : new RegExp(`^${folder}$`));
    expect(names.branch).toBe(`taskroom/${names.folder}`);
    expect(run(project.dir, 'check-ref-format', '--branch', names.branch)).toBe(names.branch);
  });

  it('of different tasks are different', () => {
    expect(workspaceNames('t1', 'a b').branch).not.toBe(workspaceNames('t1', 'a-b').branch);
    expect(workspaceNames('t1', 'a b').branch).not.toBe(workspaceNames('t1', 'a/b').branch);
  });
});

describe('a worktree', () => {
  it('whose making was cut short is made anew, with all files', async () => {
    expect(await openWorktree(git, place())).toMatchObject({ ok: true, how: 'made' });
    const path = join(base, 'root/t1-Fix');
    rmSync(join(path, 'code.txt'));
    // As git leaves it when it is killed meanwhile.
    run(project.dir, 'worktree', 'lock', '--reason', 'initializing', path);
    expect(await openWorktree(git, place({ wasCutShort: true }))).toMatchObject({
      ok: true,
      path,
      how: 'made',
    });
    expect(existsSync(join(path, 'code.txt'))).toBe(true);
  });

  it('is never made outside its root, nor over what lies there', async () => {
    for (const folder of ['../outside', 'a/b', '..'])
      expect(await openWorktree(git, place({ folder }))).toMatchObject({ ok: false, passes: false });
    expect(existsSync(join(base, 'outside'))).toBe(false);
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), join(base, 'root/t1-Fix'));
    expect(await openWorktree(git, place())).toMatchObject({ ok: false, passes: false });
    expect(existsSync(join(base, 'elsewhere/code.txt'))).toBe(false);
  });

  it('tells at most 20 commits and files, then how many more; and all work that is only there', async () => {
    const opened = await openWorktree(git, place());
    if (!opened.ok) throw new Error(opened.message);
    const tree = { path: opened.path, project: project.dir, branch: 'taskroom/t1-Fix', base: project.head };
    expect(await describeChanges(git, { ...tree, hasWorktree: true }, project.head)).toBeNull();
    expect(await workOnlyHere(git, tree)).toBeNull();
    for (let n = 1; n <= 25; n += 1) {
      writeFileSync(join(opened.path, `file${n}.txt`), `${n}`);
      run(opened.path, 'add', '.');
      run(opened.path, 'commit', '--quiet', '-m', `Commit ${n} \`tick\``);
    }
    const text = await describeChanges(git, { ...tree, hasWorktree: true }, project.head);
    expect(text).toMatch(/25 commits:\n- [0-9a-f]+ Commit 25 'tick'\n/);
    expect(text!.match(/^- and 5 more$/gm)).toHaveLength(2);
    expect(await workOnlyHere(git, tree)).toBe(
      '25 commits of taskroom/t1-Fix that are neither merged nor pushed',
    );
    // On another branch inside the worktree.
    run(opened.path, 'checkout', '--quiet', '-b', 'other');
    expect(await workOnlyHere(git, tree)).toBeNull();
    run(opened.path, 'checkout', '--quiet', '--detach');
    run(opened.path, 'commit', '--quiet', '--allow-empty', '-m', 'Detached');
    expect(await workOnlyHere(git, tree)).toContain('1 commit');
  });
});
