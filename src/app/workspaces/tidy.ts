// Workspaces whose tasks are archived: removed when all their work is elsewhere too, else kept, with the reason for whoever
// asks.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeWorktree, workOnlyHere } from '../../agents/workspace/close-worktree.ts';
import { isWithin } from '../../agents/workspace/contained-path.ts';
import { fetchAll } from '../../agents/workspace/repository.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TurnId } from '../../core/ids.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import { inWorkspace } from './enter.ts';
import type { WorkspaceRoom } from './workspace-room.ts';
import { runHook } from './workspace-room.ts';

/**
 * @param agentOf whose workspace it is, for its hook; undefined for one that is there no more
 * @param settle what came of each: why it stays, null when it is gone
 */
export async function tidyWorkspaces(
  room: WorkspaceRoom,
  rows: readonly WorkspaceRow[],
  agentOf: (row: WorkspaceRow) => AgentConfig | undefined,
  settle: (row: WorkspaceRow, kept: string | null) => void,
): Promise<void> {
  const { git, byTurns, repositories } = room;
  // What was merged or pushed since is seen once the copy knows of it.
  for (const project of new Set(rows.map((row) => row.project)))
    if (isWithin(repositories, project) && existsSync(project))
      await byTurns(project, () => fetchAll(git, project));
  for (const row of rows) settle(row, existsSync(row.project) ? await remove(room, row, agentOf(row)) : null);
}

/** Why it stays; null when it is gone. */
async function remove(
  room: WorkspaceRoom,
  row: WorkspaceRow,
  agent: AgentConfig | undefined,
): Promise<string | null> {
  const lost = await workOnlyHere(room.git, row);
  if (lost !== null) return lost;
  const hasHook = agent !== undefined && !row.elsewhere && existsSync(row.path);
  const fault = hasHook ? await beforeRemove(room, row, agent) : null;
  if (fault !== null) return fault;
  // The hook may have left something.
  return (
    (await workOnlyHere(room.git, row)) ?? room.byTurns(row.project, () => removeWorktree(room.git, row))
  );
}

async function beforeRemove(
  room: WorkspaceRoom,
  row: WorkspaceRow,
  agent: AgentConfig,
): Promise<string | null> {
  // It belongs to no turn: its output lies beside the workspaces' own files.
  const dir = join(room.dir, '.taskroom', 'removals', row.task);
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
