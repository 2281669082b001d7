// The pull requests of tasks: opened for a person, and looked at by schedule, when a webhook names one and after turns. One
// process of the room at a time.
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { PullWish } from '../../core/remote-pulls.ts';
import type { Opened } from '../../core/review-shapes.ts';
import { waitForLock } from '../../store/lock/locks.ts';
import { waitingReason } from '../upstream/outbox.ts';
import { finishTask, lookAtPull, tellRoom } from './look-at-pull.ts';
import { openAfterTurns, openPull } from './open-pull.ts';
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

/**
 * Opens the pull request of a task; of one that has one what was committed since is pushed, and its state looked at. To `merge`
 * it takes one that is open, as it was reviewed.
 * @throws RoomError `not_found` without a workspace, `refused`, and as providers throw
 */
export async function openForPerson(
  room: PullRoom,
  task: TaskId,
  { draft = false, merge = false }: PullWish,
): Promise<Opened> {
  const written: string[] = [];
  const opened = await alone(room, () =>
    merge ? mergePull(room, task, written) : openOrRead(room, task, draft, written),
  );
  await room.deps.announce(written);
  return opened;
}

async function openOrRead(room: PullRoom, task: TaskId, draft: boolean, written: string[]): Promise<Opened> {
  const { deps, signal } = room;
  const { ledger } = deps;
  const branches = deps.branches!;
  const known = ledger.pulls.get(task);
  const branch = known !== null && !ledger.workspaces.has({ task }) ? null : await branches.read(task);
  const isOpen = known?.seen.state === 'open';
  const isNew = known?.seen.commit !== branch?.commit;
  if (branch === null || isOpen || (known !== null && !isNew)) {
    const isAtWork = ledger.turns.runningOn(threadOfTask(task)) !== null;
    if (branch !== null && isOpen && isNew && !isAtWork) await branches.push(task);
    await lookAtPull(room, known!, written);
    return { task, opened: false, pull_request: ledger.pulls.get(task)!.seen };
  }
  await branches.assertAtRest(task);
  if (branch.commits === 0)
    throw new RoomError('refused', `nothing is committed on ${branch.branch}`, {
      hint: `ask for it: taskroom comment ${task} "Commit your work."`,
    });
  const repository = await repositoryOfRemotes(room, branch.remotes);
  const sent = await openPull(deps, {
    ...{ repository, task, branch, draft, chore: '', signal, options: { byPerson: true } },
    onWritten: (path) => written.push(path),
  });
  if (sent.outcome === 'waiting') throw new RoomError('unavailable', waitingReason(sent.until));
  if (sent.outcome !== 'sent') throw sent.error;
  const { seen } = ledger.pulls.get(task)!;
  tellRoom(room, task, seen);
  if (deps.config().pr.doneOn === 'opened') await finishTask(room, task, `opened ${seen.ref}`, written);
  return { task, opened: true, pull_request: seen };
}

async function mergePull(room: PullRoom, task: TaskId, written: string[]): Promise<Opened> {
  const { ledger, branches } = room.deps;
  const known = ledger.pulls.get(task);
  if (known === null) throw new RoomError('not_found', 'the task has no pull request', `taskroom pr ${task}`);
  await lookAtPull(room, known, written);
  const { state, commit, ref } = ledger.pulls.get(task)!.seen;
  if (state === 'open') {
    if (ledger.workspaces.has({ task })) {
      await branches!.assertAtRest(task);
      // Those nobody has seen there.
      if ((await branches!.read(task)).commit !== commit)
        throw new RoomError('refused', `its branch has commits that ${ref} has not`, {
          hint: `push them, to be looked at: taskroom pr ${task}`,
        });
    }
    const { provider } = await openRepository(room, known);
    await provider.pullRequest.merge(known.number, commit, room.signal);
    await lookAtPull(room, ledger.pulls.get(task)!, written);
  }
  return { task, opened: false, pull_request: ledger.pulls.get(task)!.seen };
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
      const { seen } = pulls.get(row.task)!;
      pulls.update(row.task, { seen: { ...seen, trouble: error.message } });
      if (error.code === 'unauthorized') await room.pool.forget(poolName(row.source));
      if (error.code === 'rate_limited') return;
    }
  }).finally(() => room.deps.announce(written));
}

function asRoomError(error: unknown): RoomError {
  if (isRoomError(error)) return error;
  throw error;
}
