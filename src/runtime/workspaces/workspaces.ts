// The workspaces of a room: git's worktrees with what the ledger remembers of them, behind the loop's port.
import type { Workspaces, WorkspaceTurn } from '../../pulse/workspace-port.ts';
import { createByTurns } from '../../runners/workspace/by-turns.ts';
import { describeChanges } from '../../runners/workspace/changes.ts';
import { createGit } from '../../runners/workspace/git.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { enterWorkspace, inWorkspace } from './enter.ts';
import { runHook } from './hooks.ts';
import { tidyWorkspaces } from './tidy.ts';
import type { WorkspaceRoom } from './workspace-room.ts';

export function createWorkspaces(deps: TaskRoom, withheldEnv: readonly string[]): Workspaces {
  const room: WorkspaceRoom = {
    deps,
    git: createGit(deps.effects, withheldEnv),
    byTurns: createByTurns(),
    withheldEnv,
  };
  const { workspaces } = deps.ledger;
  return {
    enter: (turn) => enterWorkspace(room, turn),
    agentIn(task, agent) {
      const row = agent.workspace === null ? null : workspaces.get(task);
      return row === null ? agent : inWorkspace(agent, row);
    },
    leave: (turn: WorkspaceTurn) => runHook(room, turn, 'after_run'),
    async changes(task) {
      const row = workspaces.get(task);
      return row === null ? null : describeChanges(room.git, row, row.base);
    },
    tidy: () => tidyWorkspaces(room),
  };
}
