// A task's worktree: made or found again, and removed when nothing exists only there. Nothing is written or removed outside the
// one root, and no folder with somebody's work in it is replaced.
import { hash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Git, hasBranch, type Worktree } from './git.ts';
import { needsPerson, type Project, type Trouble } from './project.ts';

export interface Place {
  root: string; // Absolute path of the folder that all workspaces lie in; made where it is not there.
  folder: string;
  branch: string;
  project: Project;
  wasCutShort: boolean; // An earlier try to make it was cut short: what lies there is nobody's work.
}

/** `remade`: its folder was gone, and was made again from its branch. */
export type Opened = { ok: true; path: string; how: 'made' | 'found' | 'remade' } | Trouble;

export async function openWorktree(git: Git, place: Place): Promise<Opened> {
  const path = pathIn(place);
  if (typeof path !== 'string') return path;
  const project = place.project.dir;
  let listed = await findWorktree(git, project, path);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    return needsPerson(`${path} is no folder; move it away, the workspace belongs there`);
  if (there !== undefined && listed !== null) {
    if (!place.wasCutShort) return reopen(git, path);
    // Twice: git locks a worktree while it makes it.
    await git(project, 'worktree', 'remove', '--force', '--force', path);
    listed = null;
  }
  if (existsSync(path) && readdirSync(path).length > 0)
    return needsPerson(
      `${path} is there and is no worktree of ${project}; move it away, the workspace belongs there`,
    );
  if (existsSync(path)) rmdirSync(path);
  if (listed?.isLocked)
    return needsPerson(
      `the folder ${path} is gone and its worktree is locked; run: git worktree unlock ${path}`,
    );
  if (listed !== null) await git(project, 'worktree', 'prune');
  return add(git, place, path, listed === null ? 'made' : 'remade');
}

function pathIn({ root, folder }: Place): string | Trouble {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const path = join(realpathSync(root), folder);
    if (dirname(path) === realpathSync(root)) return path;
    return needsPerson(`${JSON.stringify(folder)} is no name of a folder in ${root}`);
  } catch (error) {
    return { ok: false, passes: true, message: `can't make ${root}: ${(error as Error).message}` };
  }
}

/** The project's worktree at this path; null where git knows none. */
async function findWorktree(git: Git, project: string, path: string): Promise<{ isLocked: boolean } | null> {
  const { ok, stdout } = await git(project, 'worktree', 'list', '--porcelain');
  const blocks = ok ? stdout.split('\n\n').map((block) => block.split('\n')) : [];
  const lines = blocks.find((block) => block.includes(`worktree ${path}`));
  return lines === undefined ? null : { isLocked: lines.some((line) => /^locked( |$)/.test(line)) };
}

async function reopen(git: Git, path: string): Promise<Opened> {
  const lock = await git(path, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock');
  if (!lock.ok) return needsPerson(`${path} can't be used as a worktree: ${lock.message}`);
  if (!existsSync(lock.stdout)) return { ok: true, path, how: 'found' };
  const message = `${lock.stdout} is there: another git is at work in the workspace, or one died; delete it if none is`;
  return { ok: false, passes: true, message };
}

async function add(git: Git, { project, branch }: Place, path: string, how: 'made' | 'remade') {
  const isKnown = await hasBranch(git, project.dir, branch);
  const args = isKnown ? [path, branch] : ['-b', branch, path, project.head];
  const added = await git(project.dir, 'worktree', 'add', '--quiet', ...args);
  if (added.ok) return { ok: true as const, path, how };
  const message = `git could not make the workspace ${path}: ${added.message}`;
  // The branch is checked out elsewhere, or another one stands where it belongs.
  const passes = !/already (?:checked out|used)|cannot lock ref|not a valid branch/.test(added.message);
  return { ok: false as const, passes, message };
}

const MAX_CHARS = 40;

/** `taskroom/<id>-<name>` and `<id>-<name>`; a name that had to be changed carries a hash of what it was. */
export function workspaceNames(id: string, name: string): { branch: string; folder: string } {
  const folder = `${safePart(id)}-${safePart(name)}`;
  return { branch: `taskroom/${folder}`, folder };
}

/** Letters, digits, `_`, `-` and single dots inside: a part that git takes in a reference. */
function safePart(text: string): string {
  const safe = text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/\.(?=\.|lock$|$)/gi, '-')
    .replace(/-{2,}/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^[-.]+|[-.]+$/g, '');
  if (safe === text) return safe;
  const mark = hash('sha256', text).slice(0, 6);
  return safe === '' ? mark : `${safe}-${mark}`;
}

/** What would be lost with it, in words; null when nothing would. */
export async function workOnlyHere(git: Git, worktree: Worktree): Promise<string | null> {
  const { path, project, branch } = worktree;
  if (existsSync(path)) {
    const status = await git(path, 'status', '--porcelain', '--untracked-files=all');
    if (!status.ok) return `can't be examined: ${status.message}`;
    const files = status.stdout.split('\n').filter((line) => line !== '').length;
    if (files > 0) return `${files} uncommitted ${files === 1 ? 'file' : 'files'}`;
    const modules = await git(path, 'rev-parse', '--path-format=absolute', '--git-path', 'modules');
    // Their commits lie in the worktree's own part of the repository, and would go with it.
    if (!modules.ok || existsSync(modules.stdout)) return 'submodules that are checked out';
    const head = await countOnlyHere(git, path, 'HEAD', worktree);
    if (head !== null) return head;
  }
  if (!(await hasBranch(git, project, branch))) return null;
  return countOnlyHere(git, project, `refs/heads/${branch}`, worktree);
}

/** Counts the commits that no other branch and no remote has. */
async function countOnlyHere(git: Git, cwd: string, of: string, { branch, base }: Worktree) {
  const others = ['--not', base, `--exclude=${branch}`, '--branches', '--remotes', '--tags'];
  const { ok, stdout, message } = await git(cwd, 'rev-list', '--count', of, ...others);
  if (!ok) return `can't be examined: ${message}`;
  const count = Number(stdout);
  if (count === 0) return null;
  return `${count} ${count === 1 ? 'commit' : 'commits'} of ${branch} that ${count === 1 ? 'is' : 'are'} neither merged nor pushed`;
}

/** Removes the folder and the branch. Returns what went wrong; null for nothing. */
export async function removeWorktree(git: Git, { path, project, branch }: Worktree): Promise<string | null> {
  if (existsSync(path)) {
    const removed = await git(project, 'worktree', 'remove', path);
    if (!removed.ok) return removed.message;
  } else await git(project, 'worktree', 'prune');
  if (await hasBranch(git, project, branch)) await git(project, 'branch', '--quiet', '-D', branch);
  return null;
}
