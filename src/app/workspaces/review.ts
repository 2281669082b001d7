// A person's review of what a task did in its workspace: shown, merged and discarded over all its repositories, or not at all; and
// its branches on their way to where pull requests are opened.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  commitAt,
  countCommits,
  createGit,
  type Git,
  pushBranch,
  remoteAddresses,
  tipOf,
} from '../../agents/workspace/git.ts';
import {
  assertCommitted,
  dropWorktree,
  prepareMerge,
  type ReadyMerge,
  readDiff,
  setAside,
} from '../../agents/workspace/review.ts';
import { RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { Discarded, Merged, TaskDiff } from '../../core/review-shapes.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import type { TaskBranches } from '../../sync/sync-pass.ts';
import type { ReviewPort, TaskRoom } from '../../tasks/task-room.ts';
import { folderOf, type WorkspaceRoom } from './enter.ts';
import { forget, openWorkspaceRoom, runRemoveHook } from './workspaces.ts';

export function createReview(deps: TaskRoom): ReviewPort {
  const at = { deps, room: openWorkspaceRoom(deps) };
  return {
    diff: (task, stat) => readDiffs(at, task, stat),
    merge: (task, name) => mergeAll(at, task, name),
    discard: (task) => discardAll(at, task),
  };
}

type Place = { deps: TaskRoom; room: WorkspaceRoom };

const gitOf =
  ({ effects }: WorkspaceRoom) =>
  (variables: Readonly<Record<string, string>>) =>
    createGit(effects, variables);

async function readDiffs({ room }: Place, task: TaskId, stat: boolean): Promise<TaskDiff> {
  const rows = room.records.of(task);
  const [first] = rows;
  if (first === undefined) return { task, branch: null, base: null, path: null, files: [], note: null };
  const diffs = [];
  for (const row of rows) {
    const within = row.name === '' ? '' : `${row.name}/`;
    diffs.push(await readDiff(gitOf(room), row.remote ? { ...row, path: '' } : row, { within, stat }));
  }
  const [one, more] = diffs;
  const notes = diffs.flatMap(({ note }) => note ?? []);
  return {
    ...{ task, branch: first.branch, base: more === undefined ? one!.base : null },
    path: rows.some(({ remote, path }) => !remote && existsSync(path)) ? folderOf(first) : null,
    files: diffs.flatMap(({ files }) => files),
    note: notes.length === 0 ? null : notes.join('; '),
  };
}

/** All merges fit before the first is made; one that fails all the same takes those before it back. */
async function mergeAll({ deps, room }: Place, task: TaskId, name: string): Promise<Merged> {
  const { git, byTurns } = room;
  const rows = idleRows(deps, task);
  await assertAllCommitted(git, rows);
  const how = deps.config().merge;
  const ready: (ReadyMerge & { repository: string; project: string })[] = [];
  for (const row of rows) {
    await assertHere(git, row);
    const merge = await prepareMerge(git, row, how, `Merge ${row.branch}: ${name}`).catch(saying(row));
    ready.push({ ...merge, repository: row.name, project: row.project });
  }
  const made: ReadyMerge[] = [];
  try {
    for (const one of ready) {
      await byTurns(one.project, one.make);
      made.unshift(one);
    }
  } catch (error) {
    for (const one of made) await one.undo();
    throw error;
  }
  const merged = ready.map(({ repository, into, commit, changed }) => ({
    repository,
    into,
    commit,
    changed,
  }));
  return { task, branch: rows[0].branch, repositories: merged };
}

async function discardAll({ deps, room }: Place, task: TaskId): Promise<Discarded> {
  const { git, byTurns, effects } = room;
  const rows = idleRows(deps, task);
  const { branch, agent } = rows[0];
  if (rows.some(({ remote }) => remote))
    throw new RoomError('refused', `${branch} is worked on by other machines, which have it too`, {
      hint: `cancel the task instead: taskroom cancel ${task}`,
    });
  const atMs = effects.now();
  const aside = [];
  for (const row of rows) {
    const isThere = existsSync(join(row.path, '.git'));
    const at = { folder: basename(folderOf(row)), atMs, isThere };
    aside.push({ row, isThere, reference: await setAside(gitOf(room), row, at) });
  }
  const assertGone = (path: string, reference: string, fault: string | null) => {
    if (fault === null) return;
    const hint = `its work is kept as ${reference}`;
    throw new RoomError('refused', `${path} can't be removed: ${fault}`, { hint });
  };
  const there = aside.filter(({ isThere }) => isThere).map(({ row }) => row);
  const fault = await runRemoveHook(room, there, deps.agents().get(agent));
  assertGone(folderOf(rows[0]), aside[0]!.reference, fault);
  for (const { row, isThere, reference } of aside) {
    const dropped = await byTurns(row.project, () => dropWorktree(git, row, isThere));
    assertGone(row.path, reference, dropped);
    forget(room, row);
  }
  const repositories = aside.map(({ row, reference }) => ({
    ...{ repository: row.name, reference },
    restore: `git -C ${row.project} branch ${branch} ${reference}`,
  }));
  return { task, branch, repositories };
}

/** Says which repository it was. */
const saying =
  ({ name }: WorkspaceRow) =>
  (error: unknown): never => {
    if (!(error instanceof RoomError) || name === '') throw error;
    const { code, message, hint } = error;
    throw new RoomError(code, `${name}: ${message}`, hint === undefined ? {} : { hint });
  };

/** @throws RoomError `refused` for a project that is merged elsewhere, and a worktree that does not stand at its branch */
async function assertHere(git: Git, { address, project, path, branch }: WorkspaceRow): Promise<void> {
  const hint = `push it, and merge it there: git -C ${project} push origin ${branch}`;
  if (address !== null)
    throw new RoomError('refused', `${branch} is of a repository that this room only has a copy of`, hint);
  if (!existsSync(path)) return;
  const [head, tip] = [await commitAt(git, path, 'HEAD'), await tipOf(git, project, branch)];
  if (head !== tip && tip !== null)
    throw new RoomError('refused', `${path} does not stand at its branch ${branch}`, {
      hint: `look there: git -C ${path} status`,
    });
}

/** @throws RoomError `refused` for a worktree with files that are not committed */
async function assertAllCommitted(git: Git, rows: readonly WorkspaceRow[]): Promise<void> {
  for (const { path, task } of rows) {
    const hint = `commit them there, or ask for it: taskroom comment ${task} "Commit your work."`;
    if (existsSync(path)) await assertCommitted(git, path, ['--untracked-files=all'], hint);
  }
}

type Rows = [WorkspaceRow, ...WorkspaceRow[]];

/** @throws RoomError `not_found` without a workspace */
function workspaceRows({ ledger }: TaskRoom, task: TaskId): Rows {
  const [first, ...more] = ledger.workspaces.of(task);
  if (first !== undefined) return [first, ...more];
  const hint = 'it gets one with its first turn, if its agent says "workspace" (docs/workspaces.md)';
  throw new RoomError('not_found', `${task} has no workspace`, hint);
}

/** @throws RoomError `not_found` without a workspace, `refused` while a turn or a job of the task runs */
function idleRows(deps: TaskRoom, task: TaskId): Rows {
  const rows = workspaceRows(deps, task);
  const { ledger } = deps;
  const turn = ledger.turns.runningOn(threadOfTask(task));
  const works = turn ?? ledger.jobs.active().find((each) => each.task === task);
  if (works === undefined) return rows;
  const hint = `wait for it, or stop it: taskroom kill ${works.id}`;
  throw new RoomError('refused', `${works.id} works there now`, hint);
}

/** The branches of tasks on their way to a remote, for the sync engine, which knows no git. @param withhold called before anything is sent: what is withheld, git does not get to see */
export function createBranches(deps: TaskRoom, withhold: () => Promise<void>): TaskBranches {
  const git = createGit(deps.effects);
  async function readBranch(row: WorkspaceRow) {
    const { name, project, branch, onto } = row;
    const commit = await tipOf(git, project, branch);
    if (commit === null) throw new RoomError('refused', `the branch ${branch} is gone`);
    // A tag, a commit and a pull request are nothing to merge into.
    const isBranch = onto !== null && (await commitAt(git, project, `refs/remotes/origin/${onto}`)) !== null;
    const base = isBranch ? onto : null;
    const [commits, remotes] = [await countCommits(git, row), await remoteAddresses(git, project)];
    return { name, branch, commit, commits, base, remotes };
  }
  return {
    assertAtRest: async (task) => assertAllCommitted(git, idleRows(deps, task)),
    async read(task) {
      const branches = [];
      for (const row of workspaceRows(deps, task)) branches.push(await readBranch(row));
      return branches;
    },
    async push(task, name) {
      await withhold();
      const row = workspaceRows(deps, task).find((each) => each.name === name);
      if (row === undefined) throw new RoomError('refused', `${task} has no worktree of ${name}`);
      await pushBranch(git, row);
    },
  };
}
