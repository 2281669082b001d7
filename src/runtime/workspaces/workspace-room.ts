// What everything about workspaces needs: the room, git, and what programs of a turn are started with.
import type { Git } from '../../runners/workspace/git.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export interface WorkspaceRoom {
  deps: TaskRoom;
  git: Git;
  binDir: string;
  withheldEnv: readonly string[];
}
