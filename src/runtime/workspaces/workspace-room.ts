// What everything about workspaces needs, beside a room and at a worker alike: where they lie, what is on record of them, git,
// and what programs of a turn are started with.

import type { KeyedMutex } from '../../core/keyed-mutex.ts';
import type { Effects } from '../../effects.ts';
import type { Git } from '../../runners/workspace/git.ts';
import type { WorkspacesTable } from '../../store/ledger/turns/jobs.ts';

export interface WorkspaceRoom {
  /** Absolute path of the room, or of what stands for it. */
  dir: string;
  /** A row is on record before anything is made, so that what a crash leaves is found. */
  records: Pick<WorkspacesTable, 'get' | 'put' | 'update'>;
  /** Absolute path of the folder that they all lie in. */
  root(): string;
  /** Absolute path of the folder that this machine's copies of repositories lie in. */
  repositories: string;
  git: Git;
  /** What changes a project's worktrees, by the project's path. */
  byTurns: KeyedMutex['run'];
  effects: Effects;
  maxOutputBytes(): number;
}
