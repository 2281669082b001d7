// The workspaces of a worker: worktrees of a task's branch in the worker's own copies of its repositories, kept between the turns of
// that task, with the same hooks as beside the room.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, outcomeFor, stopReason } from '../../../../agents/runner.ts';
import { createGit } from '../../../../agents/workspace/git.ts';
import type { Trouble } from '../../../../agents/workspace/project.ts';
import { copyOf, headOf, needsPerson, openRepository } from '../../../../agents/workspace/project.ts';
import { isOnlyHere } from '../../../../core/config/workspace-source.ts';
import { isRoomError } from '../../../../core/errors.ts';
import type { TaskId, TurnId } from '../../../../core/ids.ts';
import { createKeyedMutex } from '../../../../core/keyed-mutex.ts';
import { type Effects, sleep } from '../../../../effects.ts';
import type { Entered, WorkspaceTurn } from '../../../../pulse/ports.ts';
import type { WorkspaceRow } from '../../../../store/ledger/turns/jobs.ts';
import type { ClaimedTurn, ClaimedWorkspace, TurnAttempt } from '../../../worker-protocol.ts';
import type { OpenedRepository, WorkspaceRoom } from '../../../workspaces/enter.ts';
import { enterRepositories, refusal, runHook } from '../../../workspaces/enter.ts';
import { tidyWorkspaces } from '../../../workspaces/workspaces.ts';
import type { Host } from '../host.ts';
import type { Reporter } from '../reporter.ts';
import { getCommits, goOn, handOver, prepareBranches } from './branch-transfer.ts';
import { removeOwnLocks, removeSharedLocks } from './left-locks.ts';
import { openWorkspaceRecords, type WorkspaceRecord, type WorkspaceRecords } from './records.ts';

export interface WorkspaceUser {
  claimed: ClaimedTurn;
  job: TurnAttempt;
  dir: string; // The turn's folder.
  host: Host;
  reporter: Reporter;
  signal: AbortSignal;
  handBack: AbortSignal; // Aborts when the turn is given back.
}

type InWorkspace = WorkspaceUser & { given: readonly ClaimedWorkspace[]; about: WorkspaceTurn };

/** @param afterRun runs once the program has ended, before its end is reported; returns what went wrong, or null */
type RunAgent = (cwd: string, afterRun: () => Promise<string | null>) => Promise<Outcome>;
type WorkerPlace = WorkspaceRoom & { records: WorkspaceRecords; say(line: string): void };

const MAX_OUTPUT_BYTES = 64 * 2 ** 20; // A hook may print so much.

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
    run: (turn: WorkspaceUser, given: readonly ClaimedWorkspace[], runAgent: RunAgent) =>
      runInside(place, { ...turn, given, about: aboutTurn(turn) }, runAgent),
    tasks: () => [...new Set(records.all().map(({ row }) => row.task))], // Ids of the tasks that have one.
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

function aboutTurn({ claimed, dir, signal }: WorkspaceUser): WorkspaceTurn {
  const { subject } = claimed;
  const { id: task, name } = subject.kind === 'task' ? subject.task : { id: '', name: '' };
  const { turn, agent } = claimed;
  return { turn: turn as TurnId, task: task as TaskId, name, dir, signal, alive: () => {}, agent };
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
  const branches = () =>
    given.flatMap(({ name, tip }) => {
      const record = records.whole(about.task, name);
      return record === null ? [] : [{ record, git, row: record.row, tip, dir }];
    });
  const outcome = await runAgent(agent.cwd!, () =>
    telling(async () => {
      const fault = await runHook(place, { ...about, signal: handBack, agent }, 'after_run');
      await prepareBranches(branches());
      return fault;
    }),
  );
  try {
    for (const { record, ...branch } of branches()) {
      const sending = { ...turn, ...branch, effects, signal: handBack };
      const handed = await telling(() => handOver(sending));
      records.keep({ ...record, handed });
    }
    return outcome;
  } catch (error) {
    if (!isRoomError(error) || error.code === 'gone') throw error;
    const { state, message } = outcome;
    if (state === 'completed')
      return { ...outcome, state: 'failed', reason: 'refused', message: error.message };
    return { ...outcome, message: message === '' ? error.message : `${message}; ${error.message}` };
  }
}

const ALIVE_MS = 20_000; // A turn that prints nothing reports this often.

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
  const opened: OpenedRepository[] = [];
  for (const given of turn.given) {
    const found = await bringIn(place, turn, given);
    if ('ok' in found) return refusal(found);
    opened.push(found);
  }
  return enterRepositories(place, turn.about, opened);
}

/** Brings one repository and its branch to where the turn goes on from. */
async function bringIn(
  place: WorkerPlace,
  turn: InWorkspace,
  given: ClaimedWorkspace,
): Promise<OpenedRepository | Trouble> {
  const { git, byTurns, records, repositories, root, say } = place;
  const { about } = turn;
  const { name, address, from } = given;
  const fault = unfitting(given);
  if (fault !== null) return needsPerson(fault);
  const copy = copyOf(repositories, address);
  await byTurns(copy, () => removeSharedLocks(copy, root()));
  const known = records.whole(about.task, name);
  const opened = await byTurns(copy, () => openRepository(git, repositories, address, known !== null));
  if (!opened.ok) return opened;
  const { dir } = opened;
  // A pull request is fetched by its name alone; what is missing still is told below.
  if (known === null && from !== null) await byTurns(dir, () => headOf(git, dir, from, address));
  const missing = await byTurns(dir, () => getCommits(git, dir, given, () => fetchBranch(turn, name)));
  // Whoever has the commits may come back.
  if (missing !== null) return { ok: false, passes: true, message: missing };
  const record = known ?? newRecord(place, turn, given, dir);
  const { row } = record;
  if (row.branch !== given.branch)
    return needsPerson(`${row.path} is on ${row.branch}, and ${given.branch} is asked for; remove it`);
  await byTurns(dir, () => removeOwnLocks(git, row));
  const went = await byTurns(dir, () => goOn(git, record, given.tip, say));
  if (typeof went === 'object') return { ok: false, passes: true, message: went.fault };
  records.keep({
    row: went === 'anew' ? { ...row, state: 'making' } : row,
    ...{ agent: turn.claimed.agent, handed: given.tip },
  });
  const project = { dir, prefix: given.prefix, head: given.tip ?? given.base };
  return { name, address, project, onto: null };
}

/** Why a worker refuses a workspace, whatever the host says; null for one that it takes. */
function unfitting(given: ClaimedWorkspace): string | null {
  const { address, branch, folder, prefix } = given;
  if (isOnlyHere({ address }))
    return `${address} lies on the machine of the room, and this worker does not see it`;
  if (!/^[0-9A-Za-z][0-9A-Za-z_.-]*$/.test(folder) || branch !== `taskroom/${folder}`)
    return `${branch} is no branch of a task`;
  return prefix.startsWith('/') || prefix.split('/').includes('..') ? `${prefix} leads out of it` : null;
}

function newRecord(
  { root, effects }: WorkerPlace,
  { claimed: { agent }, about: { task } }: InWorkspace,
  { name, address, branch, base, prefix, folder }: ClaimedWorkspace,
  project: string,
): WorkspaceRecord {
  const path = join(root(), folder, name);
  // A folder without its record holds somebody's work.
  const state = existsSync(path) ? 'made' : 'making';
  const row: WorkspaceRow = {
    ...{ task, name, agent: agent.id, project, address, path, prefix, branch, base, onto: null },
    ...{ remote: false, state, createdAt: effects.now(), kept: null },
  };
  return { row, agent, handed: null };
}

async function fetchBranch(inside: InWorkspace, repository: string): Promise<string> {
  const { host, job, dir, signal } = inside;
  const { turn, attempt } = job;
  const path = join(dir, `branch.in.${repository}.bundle`);
  writeFileSync(path, '', { mode: 0o600 });
  for (let offset = 0; ; ) {
    const { size, data } = await host('readBranch', { turn, attempt, repository, offset }, signal);
    const piece = Buffer.from(data, 'base64');
    appendFileSync(path, piece);
    offset += piece.length;
    if (offset >= size || piece.length === 0) return path;
  }
}
