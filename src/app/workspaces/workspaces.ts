// The workspaces of a room: git's worktrees with what the ledger remembers of them, behind the loop's port; and how those of archived
// tasks go, beside a room and at a worker alike.
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isWithin } from '../../agents/workspace/contained-path.ts';
import { createGit, describeChanges } from '../../agents/workspace/git.ts';
import { copyOf, fetchAll } from '../../agents/workspace/project.ts';
import { DISCARDED_KEPT_MS, forgetDiscarded } from '../../agents/workspace/review.ts';
import { removeWorktree, workOnlyHere } from '../../agents/workspace/worktree.ts';
import type { AgentConfig } from '../../core/config/agent-config.ts';
import { valueOr } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import type { Workspaces, WorkspaceTurn } from '../../pulse/ports.ts';
import type { WorkspaceRow } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { WorkspaceRoom } from './enter.ts';
import { enterRemotely, enterWorkspace, folderOf, inWorkspace, runHook, showBranches } from './enter.ts';

export interface RoomWorkspaces extends Workspaces {
  room: WorkspaceRoom; // What they are made with, for what takes branches back.
  /** Brings the branches of a turn that ran elsewhere to where its checks look. Returns what went wrong; null for nothing. */
  show(turn: WorkspaceTurn): Promise<string | null>;
}

export function openWorkspaceRoom({ room, ledger, effects, config }: TaskRoom): WorkspaceRoom {
  return {
    dir: room.dir,
    records: ledger.workspaces,
    root: () => resolve(room.dir, config().workspaces),
    repositories: join(room.ownDir, 'repositories'),
    git: createGit(effects),
    byTurns: createKeyedMutex().run,
    effects,
    maxOutputBytes: () => config().maxOutputBytes,
  };
}

export function createWorkspaces(deps: TaskRoom): RoomWorkspaces {
  const { ledger, effects, agents } = deps;
  const { workspaces } = ledger;
  const room = openWorkspaceRoom(deps);
  return {
    room,
    enter: (turn) => (turn.isRemote ? enterRemotely(room, turn) : enterWorkspace(room, turn)),
    agentIn(task, agent) {
      const [row] = agent.workspace === null ? [] : workspaces.of(task);
      return row === undefined ? agent : inWorkspace(agent, row);
    },
    // Where the agent ran elsewhere, its worker did.
    leave: async (turn) => (workspaces.of(turn.task)[0]?.remote ? null : runHook(room, turn, 'after_run')),
    show: (turn) => showBranches(room, turn),
    async changes(task) {
      const told = workspaces.of(task).map(({ remote, project, path, branch, base }) => {
        const place = { path: remote ? project : path, branch, hasWorktree: !remote };
        return describeChanges(room.git, place, base);
      });
      const changes = (await Promise.all(told)).filter((one) => one !== null);
      return changes.length === 0 ? null : changes.join('\n\n');
    },
    async tidy() {
      await tidyWorkspaces(room, workspaces.ofArchived(), (row) => agents().get(row.agent));
      for (const project of projectsOf(deps, room))
        await forgetDiscarded(room.git, project, effects.now() - DISCARDED_KEPT_MS);
    },
  };
}

/** Folders of git in which work may have been discarded. */
function projectsOf({ room: { dir }, agents, ledger }: TaskRoom, { repositories }: WorkspaceRoom) {
  const named = [...agents().values()].flatMap(({ workspace, cwd }) =>
    (workspace?.repositories ?? []).map(({ address, project }) =>
      address === null ? resolve(dir, project ?? cwd ?? '.') : copyOf(repositories, address),
    ),
  );
  return new Set([...named, ...ledger.workspaces.all().map(({ project }) => project)].filter(existsSync));
}

/** Removes workspaces of archived tasks when all their work is elsewhere too; the others are kept, with the reason on record.
 * @param agentOf whose workspace it is, for its hook; undefined for one that is there no more
 * @param onKept told when the reason for one is another than before */
export async function tidyWorkspaces(
  room: WorkspaceRoom,
  rows: readonly WorkspaceRow[],
  agentOf: (row: WorkspaceRow) => AgentConfig | undefined,
  onKept: (row: WorkspaceRow, why: string) => void = () => {},
): Promise<void> {
  const { git, byTurns, records, repositories } = room;
  // What was merged or pushed since is seen once the copy knows of it.
  for (const project of new Set(rows.map((row) => row.project)))
    if (isWithin(repositories, project) && existsSync(project))
      await byTurns(project, () => fetchAll(git, project));
  for (const task of new Set(rows.map((row) => row.task))) {
    const own = rows.filter((row) => row.task === task);
    const kept = await remove(room, own, agentOf(own[0]!));
    for (const row of kept === null ? [] : records.of(task).filter((each) => each.kept !== kept)) {
      records.put({ ...row, kept });
      onKept(row, kept!);
    }
  }
}

/** All worktrees of a task or, where one would take something along, none. Why it stays; null when it is gone. */
async function remove(room: WorkspaceRoom, rows: WorkspaceRow[], agent: AgentConfig | undefined) {
  const there = rows.filter(({ project }) => existsSync(project));
  const lost = async () => {
    for (const row of there) {
      const found = await workOnlyHere(room.git, row);
      if (found !== null) return row.name === '' ? found : `${row.name}: ${found}`;
    }
    return null;
  };
  // The hook may leave something.
  const why = (await lost()) ?? (await runRemoveHook(room, there, agent)) ?? (await lost());
  if (why !== null) return why;
  for (const row of rows) {
    const isThere = there.includes(row);
    const fault = isThere ? await room.byTurns(row.project, () => removeWorktree(room.git, row)) : null;
    if (fault !== null) return fault;
    forget(room, row);
  }
  return null;
}

/** A worktree is gone: so is its record, and the folder that held it with others, where nothing else lies there. */
export function forget({ records }: WorkspaceRoom, row: WorkspaceRow): void {
  records.delete(row.task, row.name);
  if (row.name !== '') valueOr(undefined, () => rmdirSync(folderOf(row)));
}

/** Runs `before_remove` where the workspace is on this machine. Returns what went wrong; null for nothing. */
export async function runRemoveHook(
  room: WorkspaceRoom,
  rows: readonly WorkspaceRow[],
  agent: AgentConfig | undefined,
) {
  const [row] = rows;
  if (agent === undefined || row === undefined || row.remote || !existsSync(row.path)) return null;
  // It belongs to no turn: its output lies beside the workspaces' own files.
  const dir = join(room.dir, '.taskroom', 'removals', row.task);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const about = { turn: `removal-${row.task}` as TurnId, task: row.task, name: row.branch, dir };
  const work = { agent: inWorkspace(agent, row), signal: new AbortController().signal, alive: () => {} };
  return runHook(room, { ...about, ...work }, 'before_remove');
}
