// The workspaces of a room: git's worktrees with what the ledger remembers of them, behind the loop's port; and how those of archived
// tasks go, beside a room and at a worker alike.
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isWithin } from '../../agents/workspace/contained-path.ts';
import {
  commitAt,
  countCommits,
  createGit,
  describeChanges,
  type Git,
  pushBranch,
  remoteAddresses,
  tipOf,
} from '../../agents/workspace/git.ts';
import { copyOf, fetchAll } from '../../agents/workspace/project.ts';
import {
  assertCommitted,
  DISCARDED_KEPT_MS,
  dropWorktree,
  forgetDiscarded,
  mergeBranch,
  readDiff,
  setAside,
} from '../../agents/workspace/review.ts';
import { removeWorktree, workOnlyHere } from '../../agents/workspace/worktree.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { isOfRepository } from '../../core/config/workspace-source.ts';
import { RoomError } from '../../core/errors.ts';
import { type TaskId, type TurnId, threadOfTask } from '../../core/ids.ts';
import { createKeyedMutex } from '../../effects.ts';
import type { Workspaces, WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import type { TaskBranches } from '../../sync/contract.ts';
import type { ReviewPort, TaskRoom } from '../../tasks/task-room.ts';
import type { WorkspaceRoom } from './enter.ts';
import { enterRemotely, enterWorkspace, inWorkspace, runHook, showBranch } from './enter.ts';

export interface RoomWorkspaces extends Workspaces {
  /** What they are made with, for what takes branches back. */
  room: WorkspaceRoom;
  /** Brings the branch of a turn that ran elsewhere to where its checks look. Returns what went wrong; null for nothing. */
  show(turn: WorkspaceTurn): Promise<string | null>;
}

export function createWorkspaces(deps: TaskRoom): RoomWorkspaces {
  const { ledger, effects, config, agents } = deps;
  const { workspaces } = ledger;
  const room: WorkspaceRoom = {
    dir: deps.room.dir,
    records: workspaces,
    root: () => resolve(deps.room.dir, config().workspaces),
    repositories: join(deps.room.ownDir, 'repositories'),
    git: createGit(effects),
    byTurns: createKeyedMutex().run,
    effects,
    maxOutputBytes: () => config().maxOutputBytes,
  };
  return {
    room,
    enter: (turn) => (turn.isRemote ? enterRemotely(room, turn) : enterWorkspace(room, turn)),
    agentIn(task, agent) {
      const row = agent.workspace === null ? null : workspaces.get(task);
      return row === null ? agent : inWorkspace(agent, row);
    },
    // Where the agent ran elsewhere, its worker did.
    leave: async (turn) => (workspaces.get(turn.task)?.remote ? null : runHook(room, turn, 'after_run')),
    show: (turn) => showBranch(room, turn),
    async changes(task) {
      const row = workspaces.get(task);
      if (row === null) return null;
      const path = row.remote ? row.project : row.path;
      return describeChanges(room.git, { path, branch: row.branch, hasWorktree: !row.remote }, row.base);
    },
    async tidy() {
      await tidyWorkspaces(room, workspaces.ofArchived(), (row) => agents().get(row.agent));
      for (const project of projectsOf(deps, room))
        await forgetDiscarded(room.git, project, effects.now() - DISCARDED_KEPT_MS);
    },
  };
}

/** Folders of git in which work may have been discarded. */
function projectsOf({ room: { dir }, agents, ledger }: TaskRoom, { repositories }: WorkspaceRoom) {
  const named = [...agents().values()].flatMap(({ workspace, cwd }) => {
    if (workspace === null) return [];
    return [isOfRepository(workspace) ? copyOf(repositories, workspace) : resolve(dir, cwd ?? '.')];
  });
  return new Set([...named, ...ledger.workspaces.all().map(({ project }) => project)].filter(existsSync));
}

/**
 * Removes workspaces of archived tasks when all their work is elsewhere too; the others are kept, with the reason on record.
 * @param agentOf whose workspace it is, for its hook; undefined for one that is there no more
 * @param onKept told when the reason for one is another than before
 */
export async function tidyWorkspaces(
  room: WorkspaceRoom,
  rows: readonly WorkspaceRow[],
  agentOf: (row: WorkspaceRow) => AgentConfig | undefined,
  onKept: (row: WorkspaceRow, why: string) => void = () => {},
): Promise<void> {
  const { git, byTurns, records, repositories } = room;
  // What was merged or pushed since is seen once the copy knows of it.
  for (const project of new Set(rows.map((row) => row.project)))
    if (isWithin(repositories, project) && existsSync(project))
      await byTurns(project, () => fetchAll(git, project));
  for (const row of rows) {
    const kept = existsSync(row.project) ? await remove(room, row, agentOf(row)) : null;
    if (kept === null) records.delete(row.task);
    else if (kept !== row.kept) {
      records.update(row.task, { kept });
      onKept(row, kept);
    }
  }
}

/** Why it stays; null when it is gone. */
async function remove(room: WorkspaceRoom, row: WorkspaceRow, agent: AgentConfig | undefined) {
  const lost = await workOnlyHere(room.git, row);
  if (lost !== null) return lost;
  const fault = await runRemoveHook(room, row, agent);
  if (fault !== null) return fault;
  // The hook may have left something.
  return (
    (await workOnlyHere(room.git, row)) ?? room.byTurns(row.project, () => removeWorktree(room.git, row))
  );
}

/** Runs `before_remove` where the workspace is on this machine. Returns what went wrong; null for nothing. */
export async function runRemoveHook(room: WorkspaceRoom, row: WorkspaceRow, agent: AgentConfig | undefined) {
  if (agent === undefined || row.remote || !existsSync(row.path)) return null;
  // It belongs to no turn: its output lies beside the workspaces' own files.
  const dir = join(room.dir, '.taskroom', 'removals', row.task);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const about = { turn: `removal-${row.task}` as TurnId, task: row.task, name: row.branch, dir };
  const work = { agent: inWorkspace(agent, row), signal: new AbortController().signal, alive: () => {} };
  return runHook(room, { ...about, ...work }, 'before_remove');
}

export function createReview(deps: TaskRoom): ReviewPort {
  const { room } = createWorkspaces(deps);
  const { git, byTurns, records, repositories, effects } = room;
  const gitWith = (variables: Readonly<Record<string, string>>) => createGit(effects, variables);
  return {
    async diff(task, stat) {
      const row = records.get(task);
      if (row === null) return { task, branch: null, base: null, path: null, files: [], note: null };
      const path = !row.remote && existsSync(row.path) ? row.path : null;
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
      await assertAllCommitted(git, path, task);
      if (existsSync(path)) {
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
      if (row.remote)
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
      return { task, branch, reference, restore: `git -C ${project} branch ${branch} ${reference}` };
    },
  };
}

/** @throws RoomError `refused` for a worktree with files that are not committed */
async function assertAllCommitted(git: Git, path: string, task: TaskId): Promise<void> {
  const hint = `commit them there, or ask for it: taskroom comment ${task} "Commit your work."`;
  if (existsSync(path)) await assertCommitted(git, path, ['--untracked-files=all'], hint);
}

/** @throws RoomError `not_found` without a workspace */
function workspaceRow(row: WorkspaceRow | null, task: TaskId): WorkspaceRow {
  if (row !== null) return row;
  throw new RoomError('not_found', `${task} has no workspace`, {
    hint: 'it gets one with its first turn, if its agent says "workspace" (docs/workspaces.md)',
  });
}

/** @throws RoomError `not_found` without a workspace, `refused` while a turn or a job of the task runs */
function idleRow({ ledger }: TaskRoom, found: WorkspaceRow | null, task: TaskId): WorkspaceRow {
  const row = workspaceRow(found, task);
  const turn = ledger.turns.runningOn(threadOfTask(task));
  const works = turn ?? ledger.jobs.active().find((each) => each.task === task);
  if (works === undefined) return row;
  throw new RoomError('refused', `${works.id} works there now`, {
    hint: `wait for it, or stop it: taskroom kill ${works.id}`,
  });
}

/** The branches of tasks on their way to a remote, for the sync engine, which knows no git. @param withhold called before anything is sent: what is withheld, git does not get to see */
export function createBranches(deps: TaskRoom, withhold: () => Promise<void>): TaskBranches {
  const { workspaces } = deps.ledger;
  const git = createGit(deps.effects);
  const rowOf = (task: TaskId) => workspaceRow(workspaces.get(task), task);
  return {
    async assertAtRest(task) {
      const { path } = idleRow(deps, workspaces.get(task), task);
      await assertAllCommitted(git, path, task);
    },
    async read(task) {
      const row = rowOf(task);
      const { project, branch, onto } = row;
      const commit = await tipOf(git, project, branch);
      if (commit === null) throw new RoomError('refused', `the branch ${branch} is gone`);
      // A tag, a commit and a pull request are nothing to merge into.
      const isBranch =
        onto !== null && (await commitAt(git, project, `refs/remotes/origin/${onto}`)) !== null;
      const base = isBranch ? onto : null;
      const [commits, remotes] = [await countCommits(git, row), await remoteAddresses(git, project)];
      return { branch, commit, commits, base, remotes };
    },
    async push(task) {
      await withhold();
      await pushBranch(git, rowOf(task));
    },
  };
}
