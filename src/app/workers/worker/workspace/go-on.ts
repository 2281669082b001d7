// A branch that was worked on elsewhere, brought to this worker: taken from its repository or from the host, and the worktree
// here with it. What is only here is never overwritten: it is set aside under another name, and said.
import { existsSync } from 'node:fs';
import { isAncestor, takeBundle } from '../../../../agents/workspace/bundle.ts';
import type { Git } from '../../../../agents/workspace/git.ts';
import { hasCommit, tipOf } from '../../../../agents/workspace/repository.ts';
import type { ClaimedWorkspace } from '../../../worker-protocol.ts';
import type { WorkspaceRecord } from './records.ts';

/** Where the host's commits stand in a copy: what is there is not only here. */
export const hostRef = (branch: string) => `refs/remotes/host/${branch}`;

/**
 * Has the commits that a turn goes on from. Returns what went wrong; null for nothing.
 * @param fetchBranch writes the branch as the host has it to a file, and resolves with its path
 */
export async function getCommits(
  git: Git,
  dir: string,
  { base, tip, branch, repository }: ClaimedWorkspace,
  fetchBranch: () => Promise<string>,
): Promise<string | null> {
  if (!(await hasCommit(git, dir, base))) {
    await git(dir, 'fetch', '--quiet', '--no-tags', 'origin', base);
    if (!(await hasCommit(git, dir, base)))
      return `${repository} does not give the commit ${base}, which the branch began at`;
  }
  if (tip === null) return null;
  if (!(await hasCommit(git, dir, tip))) {
    const into = `refs/taskroom/in/${branch}`;
    const fault = await takeBundle(git, dir, { branch, file: await fetchBranch(), tip, into });
    if (fault !== null) return `the branch can't be taken from the room: ${fault}`;
  }
  const noted = await git(dir, 'update-ref', hostRef(branch), tip);
  return noted.ok ? null : noted.message;
}

/**
 * Brings the branch here to where the host has it.
 * @param say what was set aside
 * @returns what went wrong; null for nothing
 */
export async function goOn(
  git: Git,
  { row, handed }: WorkspaceRecord,
  tip: string | null,
  say: (line: string) => void,
): Promise<'as it is' | 'anew' | { fault: string }> {
  const { project, branch, path } = row;
  const here = await tipOf(git, project, branch);
  // Nobody else worked on it since, whatever was done to it here.
  if (tip === null || here === null || here === tip || handed === tip) return 'as it is';
  if (await isAncestor(git, project, tip, here)) return 'as it is';
  if (await isAncestor(git, project, here, tip)) {
    const moved = existsSync(path)
      ? await forward(git, row, tip)
      : (await git(project, 'update-ref', `refs/heads/${branch}`, tip)).ok;
    if (moved) return 'as it is';
  }
  return setAside(git, row, here, say);
}

async function forward(git: Git, { path, branch }: WorkspaceRecord['row'], tip: string): Promise<boolean> {
  const at = await git(path, 'symbolic-ref', '--quiet', 'HEAD');
  return at.stdout === `refs/heads/${branch}` && (await git(path, 'merge', '--quiet', '--ff-only', tip)).ok;
}

async function setAside(
  git: Git,
  { project, branch, path }: WorkspaceRecord['row'],
  here: string,
  say: (line: string) => void,
): Promise<'anew' | { fault: string }> {
  const kept = `${branch}-kept-${here.slice(0, 10)}`;
  const place = `${path}.kept-${here.slice(0, 10)}`;
  if (existsSync(path)) {
    const moved = await git(project, 'worktree', 'move', path, place);
    if (!moved.ok) return { fault: `${path} can't be set aside: ${moved.message}` };
  } else await git(project, 'worktree', 'prune');
  const renamed = await git(project, 'branch', '--quiet', '-m', branch, kept);
  if (!renamed.ok) return { fault: `${branch} can't be set aside: ${renamed.message}` };
  say(
    `${branch} was worked on elsewhere since; what is only here is kept as ${kept}${existsSync(place) ? `, in ${place}` : ''}`,
  );
  return 'anew';
}
