// This machine's own copy of a repository, which worktrees are made of: bare, one for each address, brought up to date before
// it is used. What the repository has lies under origin/; branches are this machine's alone.

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryWorkspace } from '../../core/config/workspace-source.ts';
import { faultOf, type Git } from './git.ts';
import { needsPerson, type Project, type Trouble } from './project.ts';

/** Its maintenance ends before git does: what runs on would hold files of a folder that goes. */
const FETCH = [
  ...['-c', 'gc.autoDetach=false', '-c', 'maintenance.autoDetach=false'],
  ...['fetch', '--quiet', '--prune', 'origin'],
];
const TRACKED = '+refs/heads/*:refs/remotes/origin/*';
const SHOWN = 40;

export function copyOf(root: string, { repository }: Pick<RepositoryWorkspace, 'repository'>): string {
  const last = repository
    .replace(/(\.git)?\/*$/, '')
    .split(/[/:]/)
    .at(-1)!;
  const shown = last.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, SHOWN);
  return join(root, `${shown}-${hash('sha256', repository).slice(0, 10)}.git`);
}

/**
 * Clones or fetches. To be called one at a time for each copy.
 * @param root absolute path of the folder that copies lie in; made where it is not there
 * @param mayBeOld a copy that can't be brought up to date will do: what is asked of it is there already
 */
export async function openRepository(
  git: Git,
  root: string,
  source: Pick<RepositoryWorkspace, 'repository' | 'branch'>,
  mayBeOld: boolean,
): Promise<{ ok: true; project: Project } | Trouble> {
  const dir = copyOf(root, source);
  const isThere = existsSync(dir);
  const fault = isThere ? await fetchAll(git, dir) : await clone(git, dir, source);
  if (fault !== null && !(isThere && mayBeOld))
    return { ok: false, passes: true, message: `can't get ${source.repository}: ${fault}` };
  const branch = source.branch ?? (await defaultBranch(git, dir));
  if (branch === null)
    return needsPerson(`${source.repository} names no branch of its own; say which under "workspace"`);
  const head = await git(dir, 'rev-parse', '--verify', '--quiet', `refs/remotes/origin/${branch}^{commit}`);
  if (!head.ok) return needsPerson(`${source.repository} has no branch ${branch}; push it, or name another`);
  return { ok: true, project: { dir, prefix: '', head: head.stdout } };
}

/** Brings origin/ up to date. Returns what went wrong; null for nothing. */
export async function fetchAll(git: Git, dir: string): Promise<string | null> {
  return faultOf(git(dir, ...FETCH));
}

async function clone(
  git: Git,
  dir: string,
  { repository }: Pick<RepositoryWorkspace, 'repository'>,
): Promise<string | null> {
  // It stands under its name once it is whole.
  const fresh = `${dir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  let fault = await faultOf(git(fresh, 'init', '--quiet', '--bare'));
  fault ??= await faultOf(git(fresh, 'config', 'remote.origin.url', repository));
  fault ??= await faultOf(git(fresh, 'config', 'remote.origin.fetch', TRACKED));
  fault ??= await fetchAll(git, fresh);
  if (fault === null) await rename(fresh, dir);
  else rmSync(fresh, { recursive: true, force: true });
  return fault;
}

async function defaultBranch(git: Git, dir: string): Promise<string | null> {
  const head = 'refs/remotes/origin/HEAD';
  // What it is may have changed; where the repository can't say, it is what it was.
  await git(dir, 'remote', 'set-head', 'origin', '--auto');
  const { ok, stdout } = await git(dir, 'symbolic-ref', '--quiet', head);
  return ok ? stdout.replace('refs/remotes/origin/', '') : null;
}

export async function hasCommit(git: Git, dir: string, commit: string): Promise<boolean> {
  return (await git(dir, 'cat-file', '-e', `${commit}^{commit}`)).ok;
}

/** Null where there is no such branch. */
export async function tipOf(git: Git, dir: string, branch: string): Promise<string | null> {
  const { ok, stdout } = await git(dir, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`);
  return ok ? stdout : null;
}
