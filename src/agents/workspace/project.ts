// The git repository that worktrees are made of: the one that an agent's `cwd` names, or this machine's own bare copy of one, a
// copy for each address, brought up to date before it is used. What the copied repository has lies under origin/; branches are
// this machine's alone.
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { commitAt, faultOf, type Git } from './git.ts';

export interface Project {
  dir: string; // Absolute path: its work tree, or the repository itself where it is bare.
  prefix: string; // Folder inside it that `cwd` named; '' for all of it.
  head: string; // Commit that new branches begin at.
}

export interface Trouble {
  ok: false;
  passes: boolean; // True when it passes by itself or by trying again; else a person has to do something.
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
export function copyOf(root: string, address: string): string {
  const last = address
    .replace(/(\.git)?\/*$/, '')
    .split(/[/:]/)
    .at(-1)!;
  const shown = last.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, SHOWN);
  return join(root, `${shown}-${hash('sha256', address).slice(0, 10)}.git`);
}

/** Clones or fetches. To be called one at a time for each copy.
 * @param root absolute path of the folder of copies; made where it is not there
 * @param mayBeOld a copy that can't be brought up to date will do */
export async function openRepository(
  git: Git,
  root: string,
  address: string,
  mayBeOld: boolean,
): Promise<{ ok: true; dir: string } | Trouble> {
  const dir = copyOf(root, address);
  const isThere = existsSync(dir);
  const fault = isThere ? await fetchAll(git, dir) : await clone(git, dir, address);
  if (fault !== null && !(isThere && mayBeOld))
    return { ok: false, passes: true, message: `can't get ${address}: ${fault}` };
  return { ok: true, dir };
}

const PULL = /^(?:#|pull\/)(\d{1,9})$/;

/** The commit that new branches begin at.
 * @param base a branch, a tag, a commit, or `#12` for a pull request; null for the default branch
 * @param shownAs the project, for people */
export async function headOf(
  git: Git,
  dir: string,
  base: string | null,
  shownAs: string,
): Promise<string | Trouble> {
  const name = base ?? (await defaultBranch(git, dir));
  if (name === null) return needsPerson(`${shownAs} names no branch of its own; say which by "base"`);
  const [, pull] = PULL.exec(name) ?? [];
  const ref = `refs/taskroom/pulls/${pull}`;
  if (pull !== undefined) {
    const fault = await faultOf(git(dir, 'fetch', '--quiet', 'origin', `+refs/pull/${pull}/head:${ref}`));
    if (fault !== null)
      return { ok: false, passes: true, message: `can't get ${name} of ${shownAs}: ${fault}` };
  }
  const named = ['refs/heads', 'refs/remotes/origin', 'refs/tags'].map((at) => `${at}/${name}`);
  const isHash = /^[0-9a-f]{7,64}$/.test(name);
  const places = pull === undefined ? [...named, ...(isHash ? [name] : [])] : [ref];
  for (const place of places) {
    const commit = await commitAt(git, dir, place);
    if (commit !== null) return commit;
  }
  return needsPerson(`${shownAs} has no branch or tag ${name}; push it, or name another`);
}

/** Brings origin/ up to date. Returns what went wrong; null for nothing. */
export const fetchAll = (git: Git, dir: string) => faultOf(git(dir, ...FETCH));

async function clone(git: Git, dir: string, address: string) {
  // It stands under its name once it is whole.
  const fresh = `${dir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  let fault = await faultOf(git(fresh, 'init', '--quiet', '--bare'));
  fault ??= await faultOf(git(fresh, 'config', 'remote.origin.url', address));
  fault ??= await faultOf(git(fresh, 'config', 'remote.origin.fetch', TRACKED));
  fault ??= await fetchAll(git, fresh);
  if (fault === null) await rename(fresh, dir);
  else rmSync(fresh, { recursive: true, force: true });
  return fault;
}

async function defaultBranch(git: Git, dir: string): Promise<string | null> {
  const head = 'refs/remotes/origin/HEAD';
  // What it is may have changed; where the repository can't say, it is what it was.
  const asked = await git(dir, 'ls-remote', '--symref', 'origin', 'HEAD');
  const branch = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(asked.stdout)?.[1];
  if (branch !== undefined) await git(dir, 'symbolic-ref', head, `refs/remotes/origin/${branch}`);
  const { ok, stdout } = await git(dir, 'symbolic-ref', '--quiet', head);
  return ok ? stdout.replace('refs/remotes/origin/', '') : null;
}
