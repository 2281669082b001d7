// Sends a task's branch to the project's own remote, with the credentials that git has there. Never by force: what the
// remote has and this branch has not is somebody's work.
import { RoomError } from '../../core/errors.ts';
import type { Worktree } from './close-worktree.ts';
import type { Git } from './git.ts';

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
