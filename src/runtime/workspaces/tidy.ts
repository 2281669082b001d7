// Workspaces of archived tasks: removed when all their work is elsewhere too, else kept, with the reason on record for
// `doctor`.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnId } from '../../core/ids.ts';
import { removeWorktree, workOnlyHere } from '../../runners/workspace/close-worktree.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/workspaces.ts';
import { inWorkspace } from './enter.ts';
import { runHook } from './hooks.ts';
import type { WorkspaceRoom } from './workspace-room.ts';

export async function tidyWorkspaces(room: WorkspaceRoom): Promise<void> {
  const { workspaces } = room.deps.ledger;
  for (const row of workspaces.ofArchived()) {
    const kept = existsSync(row.project) ? await remove(room, row) : null;
    if (kept === null) workspaces.delete(row.task);
    else if (kept !== row.kept) workspaces.update(row.task, { kept });
  }
}

/** Why it stays; null when it is gone. */
async function remove(room: WorkspaceRoom, row: WorkspaceRow): Promise<string | null> {
  const lost = await workOnlyHere(room.git, row);
  if (lost !== null) return lost;
  const fault = existsSync(row.path) ? await beforeRemove(room, row) : null;
  if (fault !== null) return fault;
  // The hook may have left something.
  return (
    (await workOnlyHere(room.git, row)) ?? room.byTurns(row.project, () => removeWorktree(room.git, row))
  );
}

async function beforeRemove(room: WorkspaceRoom, row: WorkspaceRow): Promise<string | null> {
  const { deps } = room;
  const agent = deps.agents().get(row.agent);
  if (agent === undefined) return null;
  // It belongs to no turn: its output lies beside the workspaces' own files.
  const dir = join(deps.room.ownDir, 'removals', row.task);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return runHook(
    room,
    {
      turn: `removal-${row.task}` as TurnId,
      task: row.task,
      name: row.branch,
      agent: inWorkspace(agent, row),
      dir,
      signal: new AbortController().signal,
      alive: () => {},
    },
    'before_remove',
  );
}
