// A turn's way into the workspace of its task: found or made, each step on record before the next, so that a crash
// anywhere is taken up by the next turn.
import { join, resolve } from 'node:path';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { Entered, WorkspaceTurn } from '../../pulse/workspace-port.ts';
import { workspaceNames } from '../../runners/workspace/names.ts';
import { openWorktree } from '../../runners/workspace/open-worktree.ts';
import { type Project, readProject } from '../../runners/workspace/project.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/workspaces.ts';
import { runHook } from './hooks.ts';
import type { WorkspaceRoom } from './workspace-room.ts';

/** The agent as it works in a workspace. */
export function inWorkspace(
  agent: AgentConfig,
  { path, prefix }: Pick<WorkspaceRow, 'path' | 'prefix'>,
): AgentConfig {
  return { ...agent, cwd: join(path, prefix) };
}

export async function enterWorkspace(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<Entered> {
  const { agent, task } = turn;
  if (agent.workspace === null) return { ok: true, agent };
  const made = await findOrMake(room, turn);
  if ('ok' in made) return made;
  const inside = { ...turn, agent: inWorkspace(agent, made) };
  if (made.state !== 'ready') {
    const fault = await runHook(room, inside, 'after_create');
    if (fault !== null) return { ok: false, reason: 'exit', message: fault };
    room.deps.ledger.workspaces.update(task, { state: 'ready' });
  }
  const fault = await runHook(room, inside, 'before_run');
  return fault === null ? { ok: true, agent: inside.agent } : { ok: false, reason: 'exit', message: fault };
}

async function findOrMake(
  { deps, git, byTurns }: WorkspaceRoom,
  { agent, task, name }: WorkspaceTurn,
): Promise<WorkspaceRow | Extract<Entered, { ok: false }>> {
  const { room, ledger, config, effects } = deps;
  const reading = await readProject(git, resolve(room.dir, agent.cwd ?? '.'));
  if (!reading.ok) return refusal(reading);
  const { project } = reading;
  const known = ledger.workspaces.get(task);
  if (known !== null && known.project !== project.dir) {
    const message = `the workspace of this task belongs to ${known.project}, and "cwd" names ${project.dir} now`;
    return {
      ok: false,
      reason: 'refused',
      message: `${message}; remove ${known.path}, or name that project again`,
    };
  }
  const { branch, folder } = known
    ? { branch: known.branch, folder: lastPart(known.path) }
    : workspaceNames(task, name);
  const root = resolve(room.dir, config().workspaces);
  const row =
    known ?? fresh(project, { task, agent: agent.id, path: join(root, folder), branch, at: effects.now() });
  if (known === null) ledger.workspaces.put(row);
  const place = { root, folder, branch, project, wasCutShort: known?.state === 'making' };
  const opened = await byTurns(project.dir, () => openWorktree(git, place));
  if (!opened.ok) return refusal(opened);
  const state = opened.how === 'found' && row.state !== 'making' ? row.state : 'made';
  ledger.workspaces.put({ ...row, path: opened.path, state });
  return { ...row, path: opened.path, state };
}

function fresh(
  project: Project,
  {
    task,
    agent,
    path,
    branch,
    at,
  }: Pick<WorkspaceRow, 'task' | 'agent' | 'path' | 'branch'> & { at: number },
): WorkspaceRow {
  const { dir, prefix, head } = project;
  return {
    task,
    agent,
    path,
    branch,
    project: dir,
    prefix,
    base: head,
    state: 'making',
    createdAt: at,
    kept: null,
    pullRequest: null,
  };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function refusal({ passes, message }: { passes: boolean; message: string }): Extract<Entered, { ok: false }> {
  return { ok: false, reason: passes ? 'exit' : 'refused', message };
}
