// The pull requests of tasks: opened for a person, and looked at by schedule, when a webhook names one and after turns. One
// process of the room at a time.
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { PullWish } from '../../core/remote-pulls.ts';
import type { Opened } from '../../core/review-shapes.ts';
import { waitForLock } from '../../store/lock/locks.ts';
import type { TaskBranch } from '../sync-pass.ts';
import { waitingReason } from '../upstream/outbox.ts';
import { finishTask, lookAtPull, tellRoom } from './look-at-pull.ts';
import { type Opening, openAfterTurns, openPull } from './open-pull.ts';
import { openRepository, type PullRoom, poolName, repositoryOfRemotes } from './repository.ts';

const LONGEST_WAIT_MS = 600_000;

async function alone<T>({ deps: { room, effects }, signal }: PullRoom, work: () => Promise<T>): Promise<T> {
  const path = join(room.ownDir, 'sync', 'pull requests.lock');
  const wait = { effects, signal, waitMs: LONGEST_WAIT_MS };
  const lock = await waitForLock(path, 'pull requests', 'the pull requests are looked at', wait);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Opens the pull requests of a task; of those that are there what was committed since is pushed, and their state looked at. To
 * `merge` it takes those that are open, as they were reviewed.
 * @throws RoomError `not_found` without a workspace, `refused`, and as providers throw */
export async function openForPerson(
  room: PullRoom,
  task: TaskId,
  { draft = false, merge = false }: PullWish,
): Promise<Opened> {
  const written: string[] = [];
  const opened = await alone(room, () =>
    merge ? mergePulls(room, task, written) : openOrRead(room, task, draft, written),
  );
  await room.deps.announce(written);
  return opened;
}

async function openOrRead(room: PullRoom, task: TaskId, draft: boolean, written: string[]): Promise<Opened> {
  const { deps, signal } = room;
  const { ledger } = deps;
  const branches = deps.branches!;
  const known = ledger.pulls.of(task);
  const parts = known.length > 0 && !ledger.workspaces.has({ task }) ? [] : await branches.read(task);
  const seenOf = (name: string) => known.find((row) => row.name === name)?.seen;
  const isNew = ({ name, commit }: TaskBranch) => seenOf(name)?.commit !== commit;
  const isOpen = ({ name }: TaskBranch) => seenOf(name)?.state === 'open';
  const toOpen = parts.filter((part) => !isOpen(part) && isNew(part));
  if (toOpen.length > 0) await branches.assertAtRest(task);
  const withWork = toOpen.filter(({ commits }) => commits > 0);
  const hint = `ask for it: taskroom comment ${task} "Commit your work."`;
  if (withWork.length === 0 && toOpen.length === parts.length && parts.length > 0)
    throw new RoomError('refused', `nothing is committed on ${parts[0]!.branch}`, hint);
  // A refusal comes before anything is pushed.
  const openings: Opening[] = [];
  for (const branch of withWork) {
    const repository = await repositoryOfRemotes(room, branch.remotes);
    openings.push({
      ...{ repository, task, branch, draft, chore: '', signal },
      ...{ options: { byPerson: true }, onWritten: (path) => written.push(path) },
    });
  }
  const isAtWork = ledger.turns.runningOn(threadOfTask(task)) !== null;
  for (const row of known.filter(({ name }) => !withWork.some((one) => one.name === name))) {
    const part = parts.find(({ name }) => name === row.name);
    if (part !== undefined && isOpen(part) && isNew(part) && !isAtWork) await branches.push(task, row.name);
    await lookAtPull(room, row, written);
  }
  for (const opening of openings) {
    const sent = await openPull(deps, opening);
    if (sent.outcome === 'waiting') throw new RoomError('unavailable', waitingReason(sent.until));
    if (sent.outcome !== 'sent') throw sent.error;
    tellRoom(room, task, ledger.pulls.get(task, opening.branch.name)!.seen);
  }
  const opened = openings.map(({ branch }) => ledger.pulls.get(task, branch.name)!.seen.ref);
  if (opened.length > 0 && deps.config().pr.doneOn === 'opened')
    await finishTask(room, task, `opened ${opened.join(', ')}`, written);
  return answerOf(room, task, opened);
}

const answerOf = ({ deps: { ledger } }: PullRoom, task: TaskId, opened: string[] = []): Opened => ({
  ...{ task, opened },
  pull_requests: ledger.pulls.of(task).map(({ seen }) => seen),
});

/** All that are open or, where one can't be merged, none. */
async function mergePulls(room: PullRoom, task: TaskId, written: string[]): Promise<Opened> {
  const { ledger, branches } = room.deps;
  const known = ledger.pulls.of(task);
  if (known.length === 0)
    throw new RoomError('not_found', 'the task has no pull request', `taskroom pr ${task}`);
  for (const row of known) await lookAtPull(room, row, written);
  const open = ledger.pulls.of(task).filter(({ seen }) => seen.state === 'open');
  if (open.length > 0 && ledger.workspaces.has({ task })) {
    await branches!.assertAtRest(task);
    const parts = await branches!.read(task);
    // Those nobody has seen there.
    for (const { name, seen } of open)
      if (parts.some((part) => part.name === name && part.commit !== seen.commit))
        throw new RoomError('refused', `its branch has commits that ${seen.ref} has not`, {
          hint: `push them, to be looked at: taskroom pr ${task}`,
        });
  }
  const inConflict = open.length > 1 ? open.find(({ seen }) => seen.mergeable === false) : undefined;
  if (inConflict !== undefined)
    throw new RoomError(
      'conflict',
      `${inConflict.seen.ref} has conflicts, and none of the task is merged without it`,
    );
  for (const row of open) {
    const { provider } = await openRepository(room, row);
    await provider.pullRequest.merge(row.number, row.seen.commit, room.signal);
    await lookAtPull(room, ledger.pulls.get(task, row.name)!, written);
  }
  return answerOf(room, task);
}

/** Opens what agents of `tasks` (null: all) ask for, and looks at the open ones. What fails is on record with each. */
export async function syncPulls(room: PullRoom, tasks: readonly TaskId[] | null): Promise<void> {
  const { pulls } = room.deps.ledger;
  const written: string[] = [];
  await alone(room, async () => {
    await openAfterTurns(room, tasks, written);
    for (const row of pulls.open().filter(({ task }) => tasks?.includes(task) !== false)) {
      const error = await lookAtPull(room, row, written).then(() => null, asRoomError);
      if (error === null) continue;
      if (error.code === 'interrupted') return;
      const { seen } = pulls.get(row.task, row.name)!;
      pulls.change(row, { seen: { ...seen, trouble: error.message } });
      if (error.code === 'unauthorized') await room.pool.forget(poolName(row.source));
      if (error.code === 'rate_limited') return;
    }
  }).finally(() => room.deps.announce(written));
}

function asRoomError(error: unknown): RoomError {
  if (isRoomError(error)) return error;
  throw error;
}
