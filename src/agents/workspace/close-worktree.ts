// A worktree that is not needed any more: whether all its work is elsewhere too, and its removal. Work that exists only
// here is never removed.

import { existsSync } from 'node:fs';
import { RoomError } from '../../core/errors.ts';
import type { Git } from './git.ts';
import { hasBranch } from './project.ts';

export interface Worktree {
  /** Absolute paths. */
  path: string;
  project: string;
  branch: string;
  /** Commit that the branch began at. */
  base: string;
}

/** What would be lost with it, in words; null when nothing would. */
export async function workOnlyHere(
  git: Git,
  { path, project, branch, base }: Worktree,
): Promise<string | null> {
  if (existsSync(path)) {
    const all = ['--untracked-files=all', '--ignore-submodules=none'];
    const status = await git(path, 'status', '--porcelain', ...all);
    if (!status.ok) return `can't be examined: ${status.message}`;
    const files = status.stdout.split('\n').filter((line) => line !== '').length;
    if (files > 0) return `${files} uncommitted ${files === 1 ? 'file' : 'files'}`;
    const modules = await git(path, 'submodule', 'status');
    // Their commits lie in the worktree's own part of the repository, and would go with it.
    if (modules.stdout.split('\n').some((line) => /^[ +U]/.test(line)))
      return 'submodules that are checked out';
    const head = await countOnlyHere(git, path, 'HEAD', { branch, base });
    if (head !== null) return head;
  }
  return (await hasBranch(git, project, branch))
    ? countOnlyHere(git, project, `refs/heads/${branch}`, { branch, base })
    : null;
}

/** Commits that no other branch and no remote has. */
async function countOnlyHere(
  git: Git,
  cwd: string,
  of: string,
  { branch, base }: Pick<Worktree, 'branch' | 'base'>,
): Promise<string | null> {
  const others = ['--not', base, `--exclude=${branch}`, '--branches', '--remotes', '--tags'];
  const { ok, stdout, message } = await git(cwd, 'rev-list', '--count', of, ...others);
  if (!ok) return `can't be examined: ${message}`;
  const count = Number(stdout);
  if (count === 0) return null;
  return `${count} ${count === 1 ? 'commit' : 'commits'} of ${branch} that ${count === 1 ? 'is' : 'are'} neither merged nor pushed`;
}

/** Removes the folder, and the branch where no commit of it is only there. Returns what went wrong; null for nothing. */
export async function removeWorktree(git: Git, { path, project, branch }: Worktree): Promise<string | null> {
  if (existsSync(path)) {
    const removed = await git(project, 'worktree', 'remove', path);
    if (!removed.ok) return removed.message;
  } else await git(project, 'worktree', 'prune');
  if (await hasBranch(git, project, branch)) await git(project, 'branch', '--quiet', '-D', branch);
  return null;
}

/**
 * @returns false when the branch holds nothing that was not there when it began
 * @throws RoomError `refused` when the remote does not take it, is not reached, or is not there: its project's trouble, not the
 *   tracker's
 */
export async function pushBranch(git: Git, { path, project, branch, base }: Worktree): Promise<boolean> {
  const count = await git(project, 'rev-list', '--count', `${base}..refs/heads/${branch}`);
  if (!count.ok) throw new RoomError('refused', `the branch ${branch} can't be read: ${count.message}`);
  if (Number(count.stdout) === 0) return false;
  const remote = await remoteOf(git, project);
  if (remote === null)
    throw new RoomError('refused', `${project} has no remote to push ${branch} to`, {
      hint: `git -C ${path} remote add origin ADDRESS`,
    });
  const pushed = await git(project, 'push', '--quiet', remote, `refs/heads/${branch}:refs/heads/${branch}`);
  if (pushed.ok) return true;
  throw new RoomError('refused', `git could not push ${branch}: ${pushed.message}`, {
    hint: 'git has to be able to push there without asking: a key, or a credential helper',
  });
}

/** `origin`, or the only one there is. */
async function remoteOf(git: Git, project: string): Promise<string | null> {
  const { stdout } = await git(project, 'remote');
  const names = stdout.split('\n').filter((name) => name !== '');
  return names.includes('origin') ? 'origin' : names.length === 1 ? names[0]! : null;
}
