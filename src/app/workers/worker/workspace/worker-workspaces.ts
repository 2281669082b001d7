// The workspaces of a worker: each is the worktree of a task's branch in the worker's own copy of the repository, kept between the turns of
// that task, with the same hooks as beside the room.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, outcomeFor, stopReason } from '../../../../agents/runner.ts';
import { createGit } from '../../../../agents/workspace/git.ts';
import { copyOf, headOf, needsPerson, openRepository } from '../../../../agents/workspace/project.ts';
import { isLocalRepository } from '../../../../core/config/workspace-source.ts';
import { isRoomError } from '../../../../core/errors.ts';
import type { TaskId, TurnId } from '../../../../core/ids.ts';
import { createKeyedMutex, type Effects, sleep } from '../../../../effects.ts';
import type { Entered, WorkspaceTurn } from '../../../../pulse/ports.ts';
import type { ClaimedTurn, ClaimedWorkspace, TurnAttempt } from '../../../worker-protocol.ts';
import { enterProject, refusal, runHook, type WorkspaceRoom } from '../../../workspaces/enter.ts';
import { tidyWorkspaces } from '../../../workspaces/workspaces.ts';
import type { Host } from '../host.ts';
import type { Reporter } from '../reporter.ts';
import { getCommits, goOn, handOver, prepareBranch } from './branch-transfer.ts';
import { removeOwnLocks, removeSharedLocks } from './left-locks.ts';
import { openWorkspaceRecords, type WorkspaceRecord, type WorkspaceRecords } from './records.ts';

export interface WorkspaceUser {
  claimed: ClaimedTurn;
  job: TurnAttempt;
  /** The turn's folder. */
  dir: string;
  host: Host;
  reporter: Reporter;
  signal: AbortSignal;
  /** Aborts when the turn is given back. */
  handBack: AbortSignal;
}

type InWorkspace = WorkspaceUser & { given: ClaimedWorkspace; about: WorkspaceTurn };

/** @param afterRun runs once the program has ended, before its end is reported; returns what went wrong, or null */
type RunAgent = (cwd: string, afterRun: () => Promise<string | null>) => Promise<Outcome>;

interface WorkerPlace extends WorkspaceRoom {
  records: WorkspaceRecords;
  say(line: string): void;
}

/** A hook may print so much. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

export type WorkerWorkspaces = ReturnType<typeof createWorkerWorkspaces>;

/** @param dir absolute path of what stands for the room @param repositories absolute path of the folder of copies */
export function createWorkerWorkspaces(
  dir: string,
  repositories: string,
  effects: Effects,
  say: (line: string) => void,
) {
  const records = openWorkspaceRecords(join(dir, 'workspaces'));
  const place: WorkerPlace = {
    ...{ dir, records, repositories, effects, say },
    root: () => join(dir, 'worktrees'),
    git: createGit(effects),
    byTurns: createKeyedMutex().run,
    maxOutputBytes: () => MAX_OUTPUT_BYTES,
  };
  return {
    /** Runs the agent of a turn in its workspace, with the hooks around it, and hands the branch over. */
    run: (turn: WorkspaceUser, given: ClaimedWorkspace, runAgent: RunAgent) =>
      runInside(place, { ...turn, given, about: aboutTurn(turn, given) }, runAgent),
    /** Ids of the tasks that have one. */
    tasks: () => records.all().map(({ row }) => row.task),
    /** Removes the workspaces of archived tasks, where nothing is only here. */
    tidy(archived: readonly string[]): Promise<void> {
      const over = records.all().filter(({ row }) => archived.includes(row.task));
      return tidyWorkspaces(
        place,
        over.map(({ row }) => row),
        ({ task }) => over.find(({ row }) => row.task === task)?.agent,
        ({ path }, why) => say(`${path} is kept though its task is archived: ${why}`),
      );
    },
  };
}

function aboutTurn({ claimed, dir, signal }: WorkspaceUser, given: ClaimedWorkspace): WorkspaceTurn {
  const { subject } = claimed;
  const { id: task, name } = subject.kind === 'task' ? subject.task : { id: '', name: '' };
  const workspace = { repository: given.repository, base: given.from, folder: given.prefix };
  return {
    ...{ turn: claimed.turn as TurnId, task: task as TaskId, name, dir, signal, alive: () => {} },
    agent: { ...claimed.agent, workspace },
  };
}

/** A branch that can't be handed over fails the turn, since nobody would see its work. */
async function runInside(place: WorkerPlace, turn: InWorkspace, runAgent: RunAgent): Promise<Outcome> {
  const { effects, git, records } = place;
  const { about, handBack, reporter, given, dir } = turn;
  const telling = <T>(work: () => Promise<T>) => whileTelling(reporter, effects, work);
  const entered = await telling(() => enter(place, turn));
  if (!entered.ok) {
    const reason = turn.signal.aborted ? stopReason(turn.signal) : entered.reason;
    return outcomeFor(reason, entered.message);
  }
  const { agent } = entered;
  const branchOf = ({ row }: WorkspaceRecord) => ({ git, row, tip: given.tip, dir });
  const outcome = await runAgent(agent.cwd!, () =>
    telling(async () => {
      const fault = await runHook(place, { ...about, signal: handBack, agent }, 'after_run');
      const record = records.whole(about.task);
      if (record !== null) await prepareBranch(branchOf(record));
      return fault;
    }),
  );
  try {
    const record = records.whole(about.task);
    if (record === null) return outcome;
    const sending = { ...turn, ...branchOf(record), effects, signal: handBack };
    const handed = await telling(() => handOver(sending));
    records.keep({ ...record, handed });
    return outcome;
  } catch (error) {
    if (!isRoomError(error) || error.code === 'gone') throw error;
    const { state, message } = outcome;
    if (state === 'completed')
      return { ...outcome, state: 'failed', reason: 'refused', message: error.message };
    return { ...outcome, message: message === '' ? error.message : `${message}; ${error.message}` };
  }
}

/** A turn that prints nothing reports this often. */
const ALIVE_MS = 20_000;

/** Reports while `work` runs: cloning, hooks and handing over may take longer than a silent turn may live. */
async function whileTelling<T>(reporter: Reporter, effects: Effects, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  void (async () => {
    while (!over.signal.aborted) {
      await sleep(effects, ALIVE_MS, over.signal);
      if (!over.signal.aborted)
        await reporter.report({ kind: 'output', offset: 0, data: '' }).catch(() => over.abort());
    }
  })();
  try {
    return await work();
  } finally {
    over.abort();
  }
}

async function enter(place: WorkerPlace, turn: InWorkspace): Promise<Entered> {
  const { git, byTurns, records, repositories, root, say } = place;
  const { about, given } = turn;
  const fault = unfitting(given);
  if (fault !== null) return refusal(needsPerson(fault));
  const copy = copyOf(repositories, given);
  await byTurns(copy, () => removeSharedLocks(copy, root()));
  const isKnown = records.get(about.task) !== null;
  const opened = await byTurns(copy, () => openRepository(git, repositories, given, isKnown));
  if (!opened.ok) return refusal(opened);
  const { dir } = opened;
  const { from } = given;
  // A pull request is fetched by its name alone; what is missing still is told below.
  if (!isKnown && from !== null) await byTurns(dir, () => headOf(git, dir, from, given.repository));
  const missing = await byTurns(dir, () => getCommits(git, dir, given, () => fetchBranch(turn)));
  // Whoever has the commits may come back.
  if (missing !== null) return refusal({ passes: true, message: missing });
  const project = { dir, prefix: given.prefix, head: given.tip ?? given.base };
  const record = records.whole(about.task) ?? newRecord(place, turn, dir);
  const { row } = record;
  if (row.branch !== given.branch)
    return refusal(
      needsPerson(`${row.path} is on ${row.branch}, and ${given.branch} is asked for; remove it`),
    );
  await byTurns(dir, () => removeOwnLocks(git, row));
  const went = await byTurns(dir, () => goOn(git, record, given.tip, say));
  if (typeof went === 'object') return refusal({ passes: true, message: went.fault });
  records.keep({
    row: went === 'anew' ? { ...row, state: 'making' } : row,
    ...{ agent: turn.claimed.agent, handed: given.tip },
  });
  return enterProject(place, about, project);
}

/** Why a worker refuses a workspace, whatever the host says; null for one that it takes. */
function unfitting({ repository, branch, folder, prefix }: ClaimedWorkspace): string | null {
  if (isLocalRepository({ repository }))
    return `${repository} lies on the machine of the room, and this worker does not see it`;
  if (!/^[0-9A-Za-z][0-9A-Za-z_.-]*$/.test(folder) || branch !== `taskroom/${folder}`)
    return `${branch} is no branch of a task`;
  return prefix.startsWith('/') || prefix.split('/').includes('..') ? `${prefix} leads out of it` : null;
}

function newRecord({ root, effects }: WorkerPlace, inside: InWorkspace, project: string): WorkspaceRecord {
  const {
    given,
    claimed: { agent },
    about: { task },
  } = inside;
  const { branch, base, prefix } = given;
  const path = join(root(), given.folder);
  // A folder without its record holds somebody's work.
  const state = existsSync(path) ? 'made' : 'making';
  const made = { state, createdAt: effects.now(), kept: null } as const;
  const row = {
    task,
    agent: agent.id,
    project,
    path,
    prefix,
    branch,
    base,
    onto: null,
    remote: false,
    ...made,
  };
  return { row, agent, handed: null };
}

async function fetchBranch({ host, job: { turn, attempt }, dir, signal }: InWorkspace): Promise<string> {
  const path = join(dir, 'branch.in.bundle');
  writeFileSync(path, '', { mode: 0o600 });
  for (let offset = 0; ; ) {
    const { size, data } = await host('readBranch', { turn, attempt, offset }, signal);
    const piece = Buffer.from(data, 'base64');
    appendFileSync(path, piece);
    offset += piece.length;
    if (offset >= size || piece.length === 0) return path;
  }
}
