// The workspaces of a room: git's worktrees with what the ledger remembers of them, behind the loop's port.
import { join, resolve } from 'node:path';
import { describeChanges } from '../../agents/workspace/changes.ts';
import { createGit } from '../../agents/workspace/git.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { Workspaces, WorkspaceTurn } from '../../pulse/ports.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { enterElsewhere, showBranch } from './elsewhere.ts';
import { enterWorkspace, inWorkspace } from './enter.ts';
import { tidyWorkspaces } from './tidy.ts';
import type { WorkspaceRoom } from './workspace-room.ts';
import { runHook } from './workspace-room.ts';

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
    tidy: () =>
      tidyWorkspaces(
        room,
        workspaces.ofArchived(),
        (row) => agents().get(row.agent),
        (row, kept) => {
          if (kept === null) workspaces.delete(row.task);
          else if (kept !== row.kept) workspaces.update(row.task, { kept });
        },
      ),
  };
}
