// A task's worktree, made or found again. Invariant: nothing is written or removed outside the one root, and no folder
// with somebody's work in it is replaced.
import { hash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Git } from './git.ts';
import { hasBranch, listWorktrees, needsPerson, type Project, type Trouble } from './project.ts';

export interface Place {
  /** Absolute path of the folder that all workspaces lie in; made where it is not there. */
  root: string;
  folder: string;
  branch: string;
  project: Project;
  /** An earlier try to make it was cut short: what lies there is nobody's work. */
  wasCutShort: boolean;
}

export type Opened =
  | {
      ok: true;
      path: string;
      /** `remade`: its folder was gone, and was made again from its branch. */
      how: 'made' | 'found' | 'remade';
    }
  | Trouble;

export async function openWorktree(git: Git, place: Place): Promise<Opened> {
  const path = pathIn(place);
  if (typeof path !== 'string') return path;
  const project = place.project.dir;
  let listed = (await listWorktrees(git, project)).find((one) => one.path === path);
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory())
    return needsPerson(`${path} is no folder; move it away, the workspace belongs there`);
  if (there !== undefined && listed !== undefined && !place.wasCutShort) return found(git, path);
  if (there !== undefined && listed !== undefined) {
    // Twice: git locks a worktree while it makes it.
    await git(project, 'worktree', 'remove', '--force', '--force', path);
    listed = undefined;
  }
  if (existsSync(path) && !removeEmpty(path)) {
    return needsPerson(
      `${path} is there and is no worktree of ${project}; move it away, the workspace belongs there`,
    );
  }
  if (listed?.isLocked)
    return needsPerson(
      `the folder ${path} is gone and its worktree is locked; run: git worktree unlock ${path}`,
    );
  if (listed !== undefined) await git(project, 'worktree', 'prune');
  return add(git, place, path, listed !== undefined);
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

async function found(git: Git, path: string): Promise<Opened> {
  const lock = await git(path, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock');
  if (!lock.ok) return needsPerson(`${path} can't be used as a worktree: ${lock.message}`);
  if (!existsSync(lock.stdout)) return { ok: true, path, how: 'found' };
  const message = `${lock.stdout} is there: another git is at work in the workspace, or one died; delete it if none is`;
  return { ok: false, passes: true, message };
}

function removeEmpty(path: string): boolean {
  if (readdirSync(path).length > 0) return false;
  rmdirSync(path);
  return true;
}

async function add(git: Git, { project, branch }: Place, path: string, wasThere: boolean): Promise<Opened> {
  const isKnown = await hasBranch(git, project.dir, branch);
  const args = isKnown ? [path, branch] : ['-b', branch, path, project.head];
  const added = await git(project.dir, 'worktree', 'add', '--quiet', ...args);
  if (added.ok) return { ok: true, path, how: wasThere ? 'remade' : 'made' };
  const message = `git could not make the workspace ${path}: ${added.message}`;
  // The branch is checked out elsewhere, or another one stands where it belongs.
  const passes = !/already (?:checked out|used)|cannot lock ref|not a valid branch/.test(added.message);
  return { ok: false, passes, message };
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
