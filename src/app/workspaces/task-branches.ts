// The branches of tasks on their way to a remote, for the sync engine, which knows no git.
import { existsSync } from 'node:fs';
import { countCommits, pushBranch, remoteAddresses, tipOf } from '../../agents/workspace/branch.ts';
import { createGit } from '../../agents/workspace/git.ts';
import { assertCommitted } from '../../agents/workspace/review.ts';
import { isOfRepository } from '../../core/config/workspace-source.ts';
import { RoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import type { TaskBranches } from '../../sync/contract.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { idleRow, workspaceRow } from './workspaces.ts';

/** @param withhold called before anything is sent: what is withheld, git does not get to see */
export function createBranches(deps: TaskRoom, withhold: () => Promise<void>): TaskBranches {
  const { workspaces } = deps.ledger;
  const git = createGit(deps.effects);
  const rowOf = (task: TaskId) => workspaceRow(workspaces.get(task), task);
  return {
    async assertAtRest(task) {
      const { path } = idleRow(deps, workspaces.get(task), task);
      const hint = `commit them there, or ask for it: taskroom comment ${task} "Commit your work."`;
      if (existsSync(path)) await assertCommitted(git, path, ['--untracked-files=all'], hint);
    },
    async read(task) {
      const row = rowOf(task);
      const { project, branch, agent } = row;
      const commit = await tipOf(git, project, branch);
      if (commit === null) throw new RoomError('refused', `the branch ${branch} is gone`);
      const source = deps.agents().get(agent)?.workspace ?? null;
      const base = isOfRepository(source) ? source.branch : null;
      const [commits, remotes] = [await countCommits(git, row), await remoteAddresses(git, project)];
      return { branch, commit, commits, base, remotes };
    },
    async push(task) {
      await withhold();
      await pushBranch(git, rowOf(task));
    },
  };
}
