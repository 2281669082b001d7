// The workspaces of a worker: each the worktree of a task's branch in the worker's own copy of its repository, kept between the
// turns of that task, with the same hooks and the same care for what is only here as beside the room.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig } from '../../../core/config/agent-config.ts';
import { isLocalRepository } from '../../../core/config/workspace-source.ts';
import type { TaskId, TurnId } from '../../../core/ids.ts';
import { createKeyedMutex } from '../../../core/keyed-mutex.ts';
import type { Effects } from '../../../effects.ts';
import type { Entered } from '../../../pulse/ports.ts';
import { createGit } from '../../../runners/workspace/git.ts';
import { needsPerson, type Project } from '../../../runners/workspace/project.ts';
import { copyOf } from '../../../runners/workspace/repository.ts';
import type { ClaimedTurn, ClaimedWorkspace } from '../../worker-protocol.ts';
import { enterProject, openProject, refusal } from '../../workspaces/enter.ts';
import { runHook } from '../../workspaces/hooks.ts';
import { tidyWorkspaces } from '../../workspaces/tidy.ts';
import type { WorkspaceRoom } from '../../workspaces/workspace-room.ts';
import type { Reporter } from '../reporter.ts';
import { getCommits, goOn } from './go-on.ts';
import { handOver, prepareBranch, type SendPiece } from './hand-over.ts';
import { removeOwnLocks, removeSharedLocks } from './left-locks.ts';
import { openWorkspaceRecords, type WorkspaceRecord, type WorkspaceRecords } from './records.ts';

/** One turn in its workspace. */
export interface InWorkspace {
  claimed: ClaimedTurn & { workspace: ClaimedWorkspace };
  /** The turn's folder. */
  dir: string;
  reporter: Pick<Reporter, 'report'>;
  signal: AbortSignal;
  /** Aborts when the turn is given back. */
  handBack: AbortSignal;
  send: SendPiece;
  /** A piece of the branch as the host has it. */
  fetch(offset: number): Promise<{ size: number; data: string }>;
  alive(): void;
}

export interface WorkerWorkspacesOptions {
  /** Absolute path of what stands for the room. */
  room: string;
  /** Absolute path of the folder of copies. */
  repositories: string;
  effects: Effects;
  say(line: string): void;
}

/** Of a hook. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

interface Here {
  place: WorkspaceRoom & { records: WorkspaceRecords };
  say(line: string): void;
}

export type WorkerWorkspaces = ReturnType<typeof createWorkerWorkspaces>;

export function createWorkerWorkspaces(options: WorkerWorkspacesOptions) {
  const { room, repositories, effects, say } = options;
  const records = openWorkspaceRecords(join(room, 'workspaces'));
  const place: Here['place'] = {
    ...{ dir: room, records, repositories, effects },
    root: () => join(room, 'worktrees'),
    git: createGit(effects),
    byTurns: createKeyedMutex().run,
    maxOutputBytes: () => MAX_OUTPUT_BYTES,
  };
  return {
    /** Runs `after_create` and `before_run`. */
    enter: (turn: InWorkspace) => enter({ place, say }, turn),
    /** Runs `after_run`. Returns what went wrong with it; null for nothing. */
    leave: (turn: InWorkspace, agent: AgentConfig) => runHook(place, { ...turnOf(turn), agent }, 'after_run'),
    /** Has the branch on this worker's disk as it is to be sent. */
    async prepare(turn: InWorkspace) {
      const record = records.whole(turnOf(turn).task);
      if (record !== null) await prepareBranch(handingOf(place, turn, record));
    },
    /** @throws RoomError `refused` when the branch can't be handed over, `gone` when the turn is lost */
    async handOver(turn: InWorkspace) {
      const record = records.whole(turnOf(turn).task);
      if (record === null) return;
      const { reporter, send, handBack: signal } = turn;
      const handed = await handOver({ ...handingOf(place, turn, record), reporter, send, effects, signal });
      records.keep({ ...record, handed });
    },
    /** Ids of the tasks that have one. */
    tasks: () => records.all().map(({ row }) => row.task),
    /** Removes those of archived tasks, where nothing is only here. */
    tidy: (archived: readonly string[]) => tidy({ place, say }, archived),
  };
}

function handingOf({ git }: WorkspaceRoom, { claimed, dir }: InWorkspace, { row }: WorkspaceRecord) {
  return { git, row, tip: claimed.workspace.tip, dir };
}

async function enter({ place, say }: Here, turn: InWorkspace): Promise<Entered> {
  const { git, byTurns, records, repositories, root } = place;
  const given = turn.claimed.workspace;
  const about = turnOf(turn);
  const fault = unfitting(given);
  if (fault !== null) return refusal(needsPerson(fault));
  const copy = copyOf(repositories, given);
  await byTurns(copy, () => removeSharedLocks(copy, root()));
  const opened = await openProject(place, about.agent, records.get(about.task) !== null);
  if (!opened.ok) return refusal(opened);
  const { dir } = opened.project;
  const missing = await byTurns(dir, () =>
    getCommits(git, dir, given, () => writeBranch(turn, join(turn.dir, 'branch.in.bundle'))),
  );
  // Whoever has it may come back.
  if (missing !== null) return refusal({ passes: true, message: missing });
  const project = { ...opened.project, head: given.tip ?? given.base };
  const record = recordOf(place, turn, project);
  if (record.row.branch !== given.branch)
    return refusal(
      needsPerson(
        `${record.row.path} is on ${record.row.branch}, and ${given.branch} is asked for; remove it`,
      ),
    );
  await byTurns(dir, () => removeOwnLocks(git, record.row));
  const went = await byTurns(dir, () => goOn(git, record, given.tip, say));
  if (typeof went === 'object') return refusal({ passes: true, message: went.fault });
  const { row } = record;
  records.keep({
    ...record,
    row: went === 'anew' ? { ...row, state: 'making' } : row,
    agent: turn.claimed.agent,
    handed: given.tip,
  });
  return enterProject(place, about, project);
}

function turnOf({ claimed, dir, signal, alive }: InWorkspace) {
  const { workspace: given, subject } = claimed;
  const { id: task, name } = subject.kind === 'task' ? subject.task : { id: '', name: '' };
  const workspace = { repository: given.repository, branch: given.from, folder: given.prefix };
  return {
    ...{ turn: claimed.turn as TurnId, task: task as TaskId, name, dir, signal, alive },
    agent: { ...claimed.agent, workspace },
  };
}

/** What a worker takes from nobody, whatever the host says. */
function unfitting({ repository, branch, folder, prefix }: ClaimedWorkspace): string | null {
  if (isLocalRepository({ repository }))
    return `${repository} lies on the machine of the room, and this worker does not see it`;
  if (!/^[0-9A-Za-z][0-9A-Za-z_.-]*$/.test(folder) || branch !== `taskroom/${folder}`)
    return `${branch} is no branch of a task`;
  return prefix.startsWith('/') || prefix.split('/').includes('..') ? `${prefix} leads out of it` : null;
}

function recordOf(
  { records, root, effects }: Here['place'],
  turn: InWorkspace,
  project: Project,
): WorkspaceRecord {
  const { agent, workspace: given } = turn.claimed;
  const { task } = turnOf(turn);
  const path = join(root(), given.folder);
  const known = records.whole(task);
  if (known !== null) return known;
  return {
    row: {
      ...{ task, agent: agent.id, project: project.dir, path, prefix: given.prefix, branch: given.branch },
      // Where its record is lost, what lies there is somebody's work.
      ...{ base: given.base, state: existsSync(path) ? 'made' : 'making', elsewhere: false },
      ...{ createdAt: effects.now(), kept: null, pullRequest: null },
    },
    agent,
    handed: null,
  };
}

async function writeBranch({ fetch }: InWorkspace, path: string): Promise<string> {
  writeFileSync(path, '', { mode: 0o600 });
  for (let offset = 0; ; ) {
    const { size, data } = await fetch(offset);
    const piece = Buffer.from(data, 'base64');
    appendFileSync(path, piece);
    offset += piece.length;
    if (offset >= size || piece.length === 0) return path;
  }
}

async function tidy({ place, say }: Here, archived: readonly string[]): Promise<void> {
  const { records } = place;
  const over = records.all().filter(({ row }) => archived.includes(row.task));
  const agents = new Map(over.map(({ row, agent }) => [row.task, agent]));
  await tidyWorkspaces(
    place,
    over.map(({ row }) => row),
    ({ task }) => agents.get(task),
    ({ task, path, kept: before }, kept) => {
      if (kept === null) records.remove(task);
      else if (kept !== before) {
        records.update(task, { kept });
        say(`${path} is kept though its task is archived: ${kept}`);
      }
    },
  );
}
