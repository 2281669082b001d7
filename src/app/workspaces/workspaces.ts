// The workspaces of a room: git's worktrees with what the ledger remembers of them, behind the loop's port; and how those of archived
// tasks go, beside a room and at a worker alike.
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeChanges } from '../../agents/workspace/branch.ts';
import { isWithin } from '../../agents/workspace/contained-path.ts';
import { createGit } from '../../agents/workspace/git.ts';
import { DISCARDED_KEPT_MS, forgetDiscarded } from '../../agents/workspace/merge.ts';
import { copyOf, fetchAll } from '../../agents/workspace/project.ts';
import { removeWorktree, workOnlyHere } from '../../agents/workspace/worktree.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { isOfRepository } from '../../core/config/workspace-source.ts';
import type { TurnId } from '../../core/ids.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { Workspaces, WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { enterWorkspace, inWorkspace, runHook, type WorkspaceRoom } from './enter.ts';
import { enterElsewhere, showBranch } from './remote-workspace.ts';

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
    enter: (turn) => (turn.elsewhere ? enterElsewhere(room, turn) : enterWorkspace(room, turn)),
    agentIn(task, agent) {
      const row = agent.workspace === null ? null : workspaces.get(task);
      return row === null ? agent : inWorkspace(agent, row);
    },
    // Where the agent ran elsewhere, its worker did.
    leave: async (turn) => (workspaces.get(turn.task)?.elsewhere ? null : runHook(room, turn, 'after_run')),
    show: (turn) => showBranch(room, turn),
    async changes(task) {
      const row = workspaces.get(task);
      if (row === null) return null;
      const path = row.elsewhere ? row.project : row.path;
      return describeChanges(room.git, { path, branch: row.branch, hasWorktree: !row.elsewhere }, row.base);
    },
    async tidy() {
      await tidyWorkspaces(room, workspaces.ofArchived(), (row) => agents().get(row.agent));
      for (const project of projectsOf(deps, room))
        await forgetDiscarded(room.git, project, effects.now() - DISCARDED_KEPT_MS);
    },
  };
}

/** Folders of git in which work may have been discarded. */
function projectsOf(
  { room: { dir }, agents, ledger }: TaskRoom,
  { repositories }: WorkspaceRoom,
): Set<string> {
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
async function remove(
  room: WorkspaceRoom,
  row: WorkspaceRow,
  agent: AgentConfig | undefined,
): Promise<string | null> {
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
export async function runRemoveHook(
  room: WorkspaceRoom,
  row: WorkspaceRow,
  agent: AgentConfig | undefined,
): Promise<string | null> {
  if (agent === undefined || row.elsewhere || !existsSync(row.path)) return null;
  // It belongs to no turn: its output lies beside the workspaces' own files.
  const dir = join(room.dir, '.taskroom', 'removals', row.task);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const about = { turn: `removal-${row.task}` as TurnId, task: row.task, name: row.branch, dir };
  const { signal } = new AbortController();
  return runHook(
    room,
    { ...about, agent: inWorkspace(agent, row), signal, alive: () => {} },
    'before_remove',
  );
}
