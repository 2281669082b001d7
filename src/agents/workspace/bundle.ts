// A branch as one file, between two copies of a repository: what the other has already is left out, and of what comes in
// nothing but the one branch that is expected is taken.
import { rmSync } from 'node:fs';
import { faultOf, type Git } from './git.ts';
import { hasCommit, tipOf } from './repository.ts';

/** The largest that is made or taken, bytes. */
export const MAX_BUNDLE_BYTES = 64 * 2 ** 20;
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];

/**
 * Writes the branch to `file`.
 * @param known commits that the other side has; those that are not here are passed over
 * @returns what went wrong; null for nothing
 */
export async function makeBundle(
  git: Git,
  dir: string,
  { branch, file, known }: { branch: string; file: string; known: readonly string[] },
): Promise<string | null> {
  const here: string[] = [];
  for (const commit of known) if (await hasCommit(git, dir, commit)) here.push(`^${commit}`);
  rmSync(file, { force: true });
  return faultOf(git(dir, 'bundle', 'create', '--quiet', file, `refs/heads/${branch}`, ...here));
}

/**
 * Takes the branch out of a bundle, under another name.
 * @param into whole name of a reference of ours
 * @returns what is wrong with it; null when the branch stands there at `tip`
 */
export async function takeBundle(
  git: Git,
  dir: string,
  { branch, file, tip, into }: { branch: string; file: string; tip: string; into: string },
): Promise<string | null> {
  const unfit = await faultOf(git(dir, 'bundle', 'verify', '--quiet', file));
  if (unfit !== null) return `it is no bundle that fits: ${unfit}`;
  const heads = await git(dir, 'bundle', 'list-heads', file);
  if (heads.stdout.trim() !== `${tip} refs/heads/${branch}`)
    return `it holds ${heads.stdout.trim().slice(0, 200).replaceAll('\n', ', ')}, and ${branch} at ${tip} alone is taken`;
  const checked = ['-c', 'fetch.fsckObjects=true', '-c', 'gc.auto=0'];
  return faultOf(git(dir, ...checked, ...FETCH, file, `+refs/heads/${branch}:${into}`));
}

/** The same from the repository that the copy is of. */
export async function takePushed(
  git: Git,
  dir: string,
  { branch, into }: { branch: string; into: string },
): Promise<string | null> {
  const names = [`+refs/heads/${branch}:${into}`, `+refs/heads/${branch}:refs/remotes/origin/${branch}`];
  return faultOf(git(dir, ...FETCH, 'origin', ...names));
}

/**
 * Sets the branch to what stands under `from`, where that is `tip`. What the branch had and has no more is kept under a name of
 * its own.
 * @returns what went wrong; null for nothing
 */
export async function adoptBranch(
  git: Git,
  dir: string,
  { branch, tip, from }: { branch: string; tip: string; from: string },
): Promise<string | null> {
  const came = await git(dir, 'rev-parse', '--verify', '--quiet', `${from}^{commit}`);
  if (came.stdout !== tip) return `${branch} is at ${came.stdout || 'no commit'} there, and not at ${tip}`;
  const before = await tipOf(git, dir, branch);
  if (before !== null && !(await isAncestor(git, dir, before, tip))) {
    const fault = await faultOf(git(dir, 'update-ref', `refs/taskroom/kept/${branch}/${before}`, before));
    if (fault !== null) return fault;
  }
  return faultOf(git(dir, 'update-ref', `refs/heads/${branch}`, tip));
}

export async function isAncestor(git: Git, dir: string, commit: string, of: string): Promise<boolean> {
  return (await git(dir, 'merge-base', '--is-ancestor', commit, of)).ok;
}
