// What everything about workspaces needs: the room, git, and what programs of a turn are started with.
import type { ByTurns } from '../../runners/workspace/by-turns.ts';
import type { Git } from '../../runners/workspace/git.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export interface WorkspaceRoom {
  deps: TaskRoom;
  git: Git;
  /** What changes a project's worktrees, by the project's path. */
  byTurns: ByTurns;
  withheldEnv: readonly string[];
}
