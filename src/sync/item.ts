// One mirror, dealt with: read its file, plan, write the file, write upstream, record. Planned again when either side
// moved meanwhile; never recorded as dealt with before all of it is.

import { type TaskId, threadOfTask } from '../core/ids.ts';
import { isFinished } from '../core/status.ts';
import type { RemoteTask } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors.ts';
import { describePlan } from './describe.ts';
import { detach, postpone, recordPlan, recordSettled } from './item-record.ts';
import { writeLocal } from './local-write.ts';
import { baseOf, linksOf, remoteHashOf } from './mirror-row.ts';
import type { MirrorPlan, PlanInput } from './model.ts';
import { planMirror } from './plan.ts';
import { hasUnproved, proveEarlier, pushPlan } from './push.ts';
import { followTitle, moveBack } from './rename.ts';
import { assertGoing, countFault, fetchOne, isDry, isOfItem, type Run, skip } from './run.ts';
import { type FileState, readTaskFile, type TaskFile } from './task-file.ts';

// Either side may move while we look; three times upstream, some more for a person who keeps saving.
const ROUNDS = 6;
// A file that can't be read now may be mended at any moment.
const FILE_LOOK_MS = 60_000;

/**
 * Deals with one mirror.
 * @param remote what the tracker says now; null when it was not asked
 * @returns false when it has to be looked at again
 * @throws RoomError that ends the sync of the source
 */
export async function syncItem(run: Run, task: TaskId, remote: RemoteTask | null): Promise<boolean> {
  assertGoing(run);
  const { mirrors } = run.deps.ledger;
  try {
    let seen = remote;
    for (let round = 0; round < ROUNDS; round += 1) {
      const row = mirrors.byTask(task);
      if (row === null || row.state === 'detached') return true;
      const step = await dealOnce(run, row, seen);
      if (typeof step === 'boolean') return step;
      seen = step.remote;
    }
    postpone(run, task, remote, 'both sides keep changing');
    return false;
  } catch (error) {
    if (!isOfItem(error)) throw error;
    const row = mirrors.byTask(task);
    skip(run, { ref: row?.ref ?? null, task, what: 'mirror', why: error.message });
    if (!isDry(run)) postpone(run, task, remote, error.message, error.retryAfterMs);
    countFault(run, error);
    return false;
  }
}

/** One round: dealt with or not, or what to plan with again. */
async function dealOnce(
  run: Run,
  row: MirrorRow,
  asked: RemoteTask | null,
): Promise<boolean | { remote: RemoteTask | null }> {
  await putBack(run, row);
  const file = await readTaskFile(run.deps, row, run.signal, isNoNews(row, asked));
  if (file.kind === 'same') return true;
  if (file.kind !== 'file') return passOver(run, row, file, asked);
  const remote = await whatToCompare(run, row, asked);
  if (remote === 'gone') return leave(run, row);
  if (row.localHash === file.local.hash && isNoNews(row, remote)) return true;
  const plan = planMirror(inputFor(run, row, file, remote));
  if (isDry(run)) {
    describePlan(run, row, file, plan);
    return true;
  }
  if (file.archived && plan.local?.status !== undefined && !isFinished(plan.local.status)) {
    moveBack(run, row, file);
    return { remote: await fetchOne(run, row.ref) };
  }
  return carryOut(run, row, file, plan, remote);
}

/** What a stale buffer dropped is put back before anything is planned: it is neither deleted nor new. */
async function putBack(run: Run, row: MirrorRow): Promise<void> {
  const { ledger, writer } = run.deps;
  const memory = ledger.tasks.get(row.task);
  if (isDry(run) || !memory?.path || memory.hash === row.localHash) return;
  if ((await writer.restore(memory.path)).restored > 0) run.written.add(memory.path);
}

async function carryOut(
  run: Run,
  row: MirrorRow,
  file: TaskFile,
  plan: MirrorPlan,
  remote: RemoteTask | null,
): Promise<boolean | { remote: RemoteTask | null }> {
  const written = await writeLocal(run, file, plan, row.uid);
  if (written === null) return { remote };
  // Words that the archive does not take in are agreed on once it is reopened.
  if (!file.archived || plan.local === null) recordPlan(run, row, file, plan, written, remote);
  if (!run.options.push) {
    const left = plan.push !== null || plan.comments.length > 0;
    recordSettled(run, row, { file, plan, written, remote, refused: null, waitUntil: null, again: left });
    return true;
  }
  const pushed = await pushPlan(run, row, plan, written.side, remote);
  if (pushed.outcome === 'gone') return leave(run, row);
  if (pushed.outcome === 'conflict') return afterConflict(run, row);
  const name =
    written.side.title === null || file.archived ? null : followTitle(run, row, file, written.side.title);
  recordSettled(run, row, { file, plan, written, remote, ...pushed, again: false, path: name });
  if (written.crossed || pushed.again) return { remote: null };
  return true;
}

async function afterConflict(run: Run, row: MirrorRow): Promise<boolean | { remote: RemoteTask | null }> {
  const remote = await fetchOne(run, row.ref);
  return remote === null ? leave(run, row) : { remote };
}

function leave(run: Run, row: MirrorRow): boolean {
  detach(run, row, 'remote_gone', `${row.ref} is not visible any more`);
  return true;
}

function passOver(
  run: Run,
  row: MirrorRow,
  file: Exclude<FileState, TaskFile | { kind: 'same' }>,
  asked: RemoteTask | null,
): boolean {
  // A deleted file is dealt with by itself; see removed.ts.
  if (file.kind === 'gone') return true;
  skip(run, { ref: row.ref, task: row.task, what: 'file', why: file.why });
  if (!isDry(run)) postpone(run, row.task, asked, file.why, FILE_LOOK_MS);
  return false;
}

/** What the tracker says, where planning needs it; asks for it when it was not listed. */
async function whatToCompare(
  run: Run,
  row: MirrorRow,
  asked: RemoteTask | null,
): Promise<RemoteTask | null | 'gone'> {
  const unproved = hasUnproved(run, row);
  // Older than what we know of it: a replica that lags behind. Its second word is believed.
  const stale = asked !== null && asked.updatedAt < row.remoteUpdatedAt;
  const needed =
    unproved || stale || row.base === null || row.remoteHash === null || lacksComments(row, asked);
  // A listing may bring only the comments that are new since.
  const enough = asked !== null && !stale && (!needed || asked.comments.complete);
  const remote = enough || !needed ? asked : await fetchOne(run, row.ref);
  if (remote === null && needed) return 'gone';
  if (unproved && remote !== null && !isDry(run)) proveEarlier(run, row, remote);
  return remote;
}

/** Whether there are other comments than those that are known and those that were listed: some were deleted, or missed. */
function lacksComments(row: MirrorRow, asked: RemoteTask | null): boolean {
  const base = baseOf(row);
  if (asked === null || base === null || asked.commentCount === null) return false;
  if (asked.comments.complete || asked.silent.includes('comments')) return false;
  const known = Object.entries(base.comments).flatMap(([id, { deleted }]) => (deleted ? [] : [id]));
  const all = new Set([...known, ...asked.comments.items.map(({ id }) => id)]);
  return all.size !== asked.commentCount;
}

/** Whether the tracker's side says nothing that was not dealt with, and nothing waits. */
export function isNoNews(row: MirrorRow, remote: RemoteTask | null): boolean {
  if (row.localHash === null || row.dueAt !== null || row.base === null || row.remoteHash === null)
    return false;
  return remote === null || row.remoteHash === remoteHashOf(remote);
}

export function inputFor(run: Run, row: MirrorRow, file: TaskFile, remote: RemoteTask | null): PlanInput {
  const { ledger, effects } = run.deps;
  // Read again: what an earlier sync sent may have just been found out.
  const base = baseOf(ledger.mirrors.byTask(row.task) ?? row);
  return {
    base,
    local: file.local,
    remote,
    config: run.config,
    profile: run.provider.profile,
    provider: run.config.provider,
    ...linksOf(ledger, run.config.provider),
    spoken: ledger.mirrors.spokenAmong(file.local.comments.map(({ id }) => id)),
    running: ledger.turns.runningOn(threadOfTask(row.task)) !== null,
    savedAt: file.savedAt,
    now: effects.now(),
  };
}
