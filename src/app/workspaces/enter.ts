// A turn's way into the workspace of its task, beside a room and at a worker alike: found or made, each step on record before the
// next, so that a crash anywhere is taken up by the next turn; and the person's hooks around it.
import { existsSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { runChecks } from '../../agents/process/run-check.ts';
import { leadsInto } from '../../agents/workspace/contained-path.ts';
import { type Git, tipOf } from '../../agents/workspace/git.ts';
import type { Project, Trouble } from '../../agents/workspace/project.ts';
import { copyOf, headOf, needsPerson, openRepository, readProject } from '../../agents/workspace/project.ts';
import { openWorktree, workspaceNames } from '../../agents/workspace/worktree.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { WorkspaceSource } from '../../core/config/workspace-source.ts';
import { isLocalRepository, isOfRepository } from '../../core/config/workspace-source.ts';
import { describeCheck } from '../../core/rules/checks.ts';
import type { Effects, KeyedMutex } from '../../effects.ts';
import type { Entered, WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';

export interface WorkspaceRoom {
  /** Absolute path of the room, or of what stands for it. */
  dir: string;
  /** A row is on record before anything is made, so that what a crash leaves is found. */
  records: {
    get(task: string): WorkspaceRow | null;
    put(row: WorkspaceRow): void;
    update(task: string, change: Partial<WorkspaceRow>): void;
    delete(task: string): void;
  };
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

type Refused = Extract<Entered, { ok: false }>;

/** The agent as it works in a workspace. */
export function inWorkspace(agent: AgentConfig, { path, prefix }: Pick<WorkspaceRow, 'path' | 'prefix'>) {
  return { ...agent, cwd: join(path, prefix) };
}

export async function enterWorkspace(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<Entered> {
  if (turn.agent.workspace === null) return { ok: true, agent: turn.agent };
  const reading = await openProject(room, turn);
  return reading.ok ? enterProject(room, turn, reading.project) : refusal(reading);
}

/** The project that the agent's workspaces are made of, and where a new one begins. */
export async function openProject(
  { dir, git, byTurns, repositories, records }: WorkspaceRoom,
  { agent: { workspace, cwd }, task, base }: Pick<WorkspaceTurn, 'agent' | 'task' | 'base'>,
): Promise<{ ok: true; project: Project } | Trouble> {
  const known = records.get(task);
  const begins = base ?? baseOf(workspace);
  if (!isOfRepository(workspace)) {
    const reading = await readProject(git, resolve(dir, cwd ?? '.'));
    if (!reading.ok || begins === null || known !== null) return reading;
    const { project } = reading;
    const head = await byTurns(project.dir, () => headOf(git, project.dir, begins, project.dir));
    return typeof head === 'string' ? { ok: true, project: { ...project, head } } : head;
  }
  // A repository that is away keeps nobody from a workspace that is there.
  return byTurns(copyOf(repositories, workspace), async () => {
    const opened = await openRepository(git, repositories, workspace, known !== null);
    if (!opened.ok) return opened;
    const head = known === null ? await headOf(git, opened.dir, begins, workspace.repository) : known.base;
    if (typeof head !== 'string') return head;
    return { ok: true, project: { dir: opened.dir, prefix: workspace.folder, head } };
  });
}

const baseOf = (source: WorkspaceSource | null) =>
  source === null || source === 'worktree' ? null : source.base;

/** @param project opened before; new branches begin at its head */
export async function enterProject(
  room: WorkspaceRoom,
  turn: WorkspaceTurn,
  project: Project,
): Promise<Entered> {
  const made = await findOrMake(room, turn, project);
  if ('ok' in made) return made;
  const inside = { ...turn, agent: inWorkspace(turn.agent, made) };
  if (made.state !== 'ready') {
    const fault = await runHook(room, inside, 'after_create');
    if (fault !== null) return { ok: false, reason: 'exit', message: fault };
    room.records.update(turn.task, { state: 'ready' });
  }
  const fault = await runHook(room, inside, 'before_run');
  return fault === null ? { ok: true, agent: inside.agent } : { ok: false, reason: 'exit', message: fault };
}

async function findOrMake(room: WorkspaceRoom, turn: WorkspaceTurn, project: Project) {
  const { git, byTurns, records, root } = room;
  const row = rowFor(room, turn, project);
  if ('ok' in row) return row;
  const isNew = records.get(turn.task) === null;
  if (isNew) records.put(row);
  // One whose turns ran on other machines has nobody's work here.
  const wasCutShort = !isNew && (row.state === 'making' || row.remote);
  const place = { root: root(), folder: basename(row.path), branch: row.branch, project, wasCutShort };
  const opened = await byTurns(project.dir, () => openWorktree(git, place));
  if (!opened.ok) return refusal(opened);
  const isAsItWas = opened.how === 'found' && row.state !== 'making' && !row.remote;
  const state: WorkspaceRow['state'] = isAsItWas ? row.state : 'made';
  const made: WorkspaceRow = { ...row, path: opened.path, state, remote: false };
  records.put(made);
  const inside = join(made.path, made.prefix);
  const isFolder = statSync(inside, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && leadsInto(made.path, inside)) return made;
  return refusal(needsPerson(`"cwd" names ${made.prefix}, which is no folder of ${made.branch}`));
}

/** What is on record of a task's workspace, or is to be. */
export function rowFor(room: WorkspaceRoom, turn: WorkspaceTurn, project: Project): WorkspaceRow | Refused {
  const { records, root, effects } = room;
  const { agent, task, name, base } = turn;
  const known = records.get(task);
  if (known !== null && known.project !== project.dir) {
    const message = `the workspace of this task belongs to ${known.project}, and its agent names ${project.dir} now`;
    return refusal(needsPerson(`${message}; remove ${known.path}, or name that project again`));
  }
  if (known !== null)
    return { ...known, prefix: isOfRepository(agent.workspace) ? project.prefix : known.prefix };
  const { branch, folder } = workspaceNames(task, name);
  return {
    ...{ task, agent: agent.id, path: join(root(), folder), branch, project: project.dir },
    ...{ prefix: project.prefix, base: project.head, state: 'making', remote: false },
    ...{ onto: base ?? baseOf(agent.workspace), createdAt: effects.now(), kept: null },
  };
}

export function refusal({ passes, message }: { passes: boolean; message: string }): Refused {
  return { ok: false, reason: passes ? 'exit' : 'refused', message };
}

/**
 * Runs a person's own shell command around the life of a workspace: in it, with the environment of a turn, bounded.
 * @param turn with the agent as it is in the workspace
 * @returns what went wrong, its last lines with it; null for nothing
 */
export async function runHook(room: WorkspaceRoom, about: WorkspaceTurn, hook: keyof AgentConfig['hooks']) {
  const { turn, task, agent, dir, signal, alive } = about;
  const command = agent.hooks[hook];
  if (agent.workspace === null || command === null) return null;
  const [result] = await runChecks({
    commands: [command],
    ...{ turn: { id: turn }, task: { id: task }, room: room.dir, dir, agent, effects: room.effects },
    // Beside the checks of the turn, each hook in a folder of its own.
    commandsDir: join(dir, 'hooks', hook),
    ...{ reach: null, signal, alive, timeoutMs: agent.hookTimeoutMs, maxOutputBytes: room.maxOutputBytes() },
  });
  if (result === undefined || result.ended === 'ok') return null;
  const last = result.output.trim() === '' ? '' : `\n${result.output}`;
  return `${hook} failed: ${describeCheck(result)}${last}`;
}

/** Why a worker can't have that workspace; null when it can. */
export function unseenByWorkers(workspace: WorkspaceSource | null): { message: string; hint: string } | null {
  if (workspace === null) return null;
  const hint = 'name it by an address that every worker reaches: "workspace": {"repository": "https://…"}';
  if (!isOfRepository(workspace))
    return { message: 'its workspace is a worktree on this machine, which a worker does not see', hint };
  if (!isLocalRepository(workspace)) return null;
  return { message: `${workspace.repository} lies on this machine, and a worker does not see it`, hint };
}

/** Puts the workspace on record, with the commit that it begins at. */
export async function enterRemotely(room: WorkspaceRoom, turn: WorkspaceTurn): Promise<Entered> {
  const { agent, task } = turn;
  const unseen = unseenByWorkers(agent.workspace);
  if (unseen !== null) return refusal(needsPerson(`${unseen.message}; ${unseen.hint}`));
  const reading = await openProject(room, turn);
  if (!reading.ok) return refusal(reading);
  const row = rowFor(room, turn, reading.project);
  if ('ok' in row) return row;
  const isWorktree = room.records.get(task) !== null && !row.remote && existsSync(row.path);
  const fault = isWorktree ? await leaveWorktree(room, row) : null;
  if (fault !== null) return refusal(needsPerson(fault));
  // What was made here for an agent is not what checks look at.
  room.records.put({ ...row, state: row.remote ? row.state : 'making', remote: true });
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
  if (row === null || !row.remote) return null;
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
