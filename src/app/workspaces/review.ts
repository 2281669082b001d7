// A person's review of a task's work: what its worktree changes, merged or discarded. Neither is done while its turn runs.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { commitAt, tipOf } from '../../agents/workspace/branch.ts';
import { isWithin } from '../../agents/workspace/contained-path.ts';
import { readDiff } from '../../agents/workspace/diff.ts';
import { createGit } from '../../agents/workspace/git.ts';
import { assertCommitted, dropWorktree, mergeBranch, setAside } from '../../agents/workspace/merge.ts';
import { RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import type { ReviewPort } from '../../tasks/room-handle.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { createWorkspaces, runRemoveHook } from './workspaces.ts';

export function createReview(deps: TaskRoom): ReviewPort {
  const { room } = createWorkspaces(deps);
  const { git, byTurns, records, repositories, effects } = room;
  const gitWith = (variables: Readonly<Record<string, string>>) => createGit(effects, variables);
  return {
    async diff(task, stat) {
      const row = records.get(task);
      if (row === null) return { task, branch: null, base: null, path: null, files: [], note: null };
      const path = !row.elsewhere && existsSync(row.path) ? row.path : null;
      const diff = await readDiff(gitWith, path === null ? { ...row, path: '' } : row, stat);
      return { task, branch: row.branch, path, ...diff };
    },
    async merge(task, name) {
      const row = idleRow(deps, records.get(task), task);
      const { project, path, branch } = row;
      if (isWithin(repositories, project))
        throw new RoomError('refused', `${branch} is of a repository that this room only has a copy of`, {
          hint: `push it, and merge it there: git -C ${project} push origin ${branch}`,
        });
      if (existsSync(path)) {
        const hint = `commit them there, or ask for it: taskroom comment ${task} "Commit your work."`;
        await assertCommitted(git, path, ['--untracked-files=all'], hint);
        const [head, tip] = [await commitAt(git, path, 'HEAD'), await tipOf(git, project, branch)];
        if (head !== tip && tip !== null)
          throw new RoomError('refused', `${path} does not stand at its branch ${branch}`, {
            hint: `look there: git -C ${path} status`,
          });
      }
      const how = deps.config().merge;
      const merged = await byTurns(project, () => mergeBranch(git, row, how, `Merge ${branch}: ${name}`));
      return { task, branch, ...merged };
    },
    async discard(task) {
      const row = idleRow(deps, records.get(task), task);
      const { project, path, branch } = row;
      if (row.elsewhere)
        throw new RoomError('refused', `${branch} is worked on by other machines, which have it too`, {
          hint: `cancel the task instead: taskroom cancel ${task}`,
        });
      const isThere = existsSync(join(path, '.git'));
      const aside = { folder: basename(path), atMs: effects.now(), isThere };
      const reference = await setAside(gitWith, row, aside);
      const agent = deps.agents().get(row.agent);
      const fault =
        (isThere ? await runRemoveHook(room, row, agent) : null) ??
        (await byTurns(project, () => dropWorktree(git, row, isThere)));
      if (fault !== null)
        throw new RoomError('refused', `${path} can't be removed: ${fault}`, {
          hint: `its work is kept as ${reference}`,
        });
      records.delete(task);
      const restore = `git -C ${project} branch ${branch} ${reference}`;
      return { task, branch, reference, restore };
    },
  };
}

/** @throws RoomError `not_found` without a workspace, `refused` while a turn or a job of the task runs */
function idleRow({ ledger }: TaskRoom, row: WorkspaceRow | null, task: TaskId): WorkspaceRow {
  if (row === null)
    throw new RoomError('not_found', `${task} has no workspace`, {
      hint: 'it gets one with its first turn, if its agent says "workspace" (docs/workspaces.md)',
    });
  const turn = ledger.turns.runningOn(threadOfTask(task));
  const job = ledger.jobs.active().find((each) => each.task === task);
  const works = turn ?? job;
  if (works === undefined || works === null) return row;
  throw new RoomError('refused', `${works.id} works there now`, {
    hint: `wait for it, or stop it: taskroom kill ${works.id}`,
  });
}
