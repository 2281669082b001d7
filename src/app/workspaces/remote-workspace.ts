// Workspaces of turns that run on other machines: here are the repository's own copy and the branch as it came back last, and a
// worktree at that commit where checks look at it. No agent works here.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tipOf } from '../../agents/workspace/branch.ts';
import { needsPerson } from '../../agents/workspace/project.ts';
import { isLocalRepository, type WorkspaceSource } from '../../core/config/workspace-source.ts';
import type { Entered, WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import { inWorkspace, openProject, refusal, rowFor, runHook, type WorkspaceRoom } from './enter.ts';

/** Why a worker can't have that workspace; null when it can. */
export function unseenByWorkers(workspace: WorkspaceSource | null): { message: string; hint: string } | null {
  if (workspace === null) return null;
  const hint = 'name it by an address that every worker reaches: "workspace": {"repository": "https://…"}';
  if (workspace === 'worktree')
    return { message: 'its workspace is a worktree on this machine, which a worker does not see', hint };
  if (!isLocalRepository(workspace)) return null;
  return { message: `${workspace.repository} lies on this machine, and a worker does not see it`, hint };
}

/** Puts the workspace on record, with the commit that it begins at. */
export async function enterElsewhere(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<Entered> {
  const { agent, task } = turn;
  const unseen = unseenByWorkers(agent.workspace);
  if (unseen !== null) return refusal(needsPerson(`${unseen.message}; ${unseen.hint}`));
  const reading = await openProject(room, agent, room.records.get(task) !== null);
  if (!reading.ok) return refusal(reading);
  const row = rowFor(room, turn, reading.project);
  if ('ok' in row) return row;
  const isWorktree = room.records.get(task) !== null && !row.elsewhere && existsSync(row.path);
  const fault = isWorktree ? await leaveWorktree(room, row) : null;
  if (fault !== null) return refusal(needsPerson(fault));
  // What was made here for an agent is not what checks look at.
  room.records.put({ ...row, state: row.elsewhere ? row.state : 'making', elsewhere: true });
  return { ok: true, agent: inWorkspace(agent, row) };
}

/** The task had its turns here before. Its branch goes on elsewhere; what is not committed can't. */
async function leaveWorktree({ git, byTurns }: WorkspaceRoom, row: WorkspaceRow): Promise<string | null> {
  const status = await git(row.path, 'status', '--porcelain', '--untracked-files=all');
  if (!status.ok || status.stdout !== '')
    return `${row.path} holds files that are not committed, and its next turn runs on another machine; commit them there, or remove them`;
  const removed = await byTurns(row.project, () => git(row.project, 'worktree', 'remove', row.path));
  return removed.ok ? null : removed.message;
}

/**
 * The branch as it came back, in a worktree of no branch, for checks. Made again at another commit only where nothing is lost:
 * what checks left behind is nobody's work.
 * @returns what went wrong; null for nothing
 */
export async function showBranch(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<string | null> {
  const { git, byTurns, records } = room;
  const row = records.get(turn.task);
  if (row === null || !row.elsewhere) return null;
  const { project, path, branch, base, state } = row;
  const commit = (await tipOf(git, project, branch)) ?? base;
  const isMade = existsSync(join(path, '.git'));
  const placed = await byTurns(project, async () => {
    if (!isMade) await git(project, 'worktree', 'prune');
    return isMade
      ? git(path, 'checkout', '--quiet', '--force', '--detach', commit)
      : git(project, 'worktree', 'add', '--quiet', '--force', '--detach', path, commit);
  });
  if (!placed.ok) return `${branch} can't be checked out at ${path}: ${placed.message}`;
  if (isMade && state === 'ready') return null;
  const fault = await runHook(room, { ...turn, agent: inWorkspace(turn.agent, row) }, 'after_create');
  if (fault === null) records.update(turn.task, { state: 'ready' });
  return fault;
}
