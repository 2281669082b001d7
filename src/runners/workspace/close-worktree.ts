// A worktree that is not needed any more: whether all its work is elsewhere too, and its removal. Work that exists only
// here is never removed.
import { existsSync } from 'node:fs';
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
    const status = await git(
      path,
      'status',
      '--porcelain',
      '--untracked-files=all',
      '--ignore-submodules=none',
    );
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
