// The git repository that worktrees are made of: the one that an agent's `cwd` names, or this machine's own bare copy of one, a
// copy for each address, brought up to date before it is used. What the copied repository has lies under origin/; branches are
// this machine's alone.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryWorkspace } from '../../core/config/workspace-source.ts';
import { commitAt, faultOf, type Git } from './git.ts';

export interface Project {
  /** Absolute path: its work tree, or the repository itself where it is bare. */
  dir: string;
  /** Folder inside it that `cwd` named; '' for all of it. */
  prefix: string;
  /** Commit that new branches begin at. */
  head: string;
}

export interface Trouble {
  ok: false;
  /** True when it passes by itself or by trying again; else a person has to do something. */
  passes: boolean;
  message: string;
}

export const needsPerson = (message: string): Trouble => ({ ok: false, passes: false, message });

/** @param dir absolute path */
export async function readProject(git: Git, dir: string): Promise<{ ok: true; project: Project } | Trouble> {
  const folder = await stat(dir).catch(() => null);
  if (!folder?.isDirectory())
    return needsPerson(`the project ${dir} is not there; create it or change "cwd"`);
  const kind = await git(dir, 'rev-parse', '--is-bare-repository');
  if (!kind.ok) {
    const hint = 'run git init there, change "cwd", or leave "workspace" out';
    return needsPerson(`a workspace needs a git project, and ${dir} is none: ${kind.message}; ${hint}`);
  }
  const asked = kind.stdout === 'true' ? ['--absolute-git-dir'] : ['--show-toplevel', '--show-prefix'];
  const place = await git(dir, 'rev-parse', ...asked);
  if (!place.ok) return needsPerson(`${dir} is no folder of a git project's work tree: ${place.message}`);
  const head = await commitAt(git, dir, 'HEAD');
  if (head === null)
    return needsPerson(`the git project ${dir} has no commit to begin at; commit something first`);
  const [top = '', prefix = ''] = place.stdout.split('\n');
  return { ok: true, project: { dir: top, prefix: prefix.replace(/\/$/, ''), head } };
}

/** Its maintenance ends before git does: what runs on would hold files of a folder that goes. */
const FETCH = [
  ...['-c', 'gc.autoDetach=false', '-c', 'maintenance.autoDetach=false'],
  ...['fetch', '--quiet', '--prune', 'origin'],
];
const TRACKED = '+refs/heads/*:refs/remotes/origin/*';
const SHOWN = 40;

/** The folder of this machine's copy of a repository. */
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
 * @param root absolute path of the folder of copies; made where it is not there
 * @param mayBeOld a copy that can't be brought up to date will do
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
  const head = await commitAt(git, dir, `refs/remotes/origin/${branch}`);
  if (head === null)
    return needsPerson(`${source.repository} has no branch ${branch}; push it, or name another`);
  return { ok: true, project: { dir, prefix: '', head } };
}

/** Brings origin/ up to date. Returns what went wrong; null for nothing. */
export const fetchAll = (git: Git, dir: string) => faultOf(git(dir, ...FETCH));

async function clone(git: Git, dir: string, { repository }: Pick<RepositoryWorkspace, 'repository'>) {
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
