// Syncs one mirror: read its file, plan, write the file, write upstream, record. Planned again when either side
// moved meanwhile; never recorded as dealt with before all of it is.
import { RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { saysFinished } from '../../core/task/status.ts';
import type { RemoteTask } from '../../providers/provider.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { writeTaskFile } from '../file/local-write.ts';
import { type FileState, followTitle, moveBack, readTaskFile, type TaskFile } from '../file/task-file.ts';
import { hashOf, linksOf, readLocalSide, remoteHashOf } from '../plan/base.ts';
import { planMirror } from '../plan/plan.ts';
import { baseOf, type CommentPush, type MirrorPlan, type PlanInput } from '../plan/plan-data.ts';
import { isReopened, isReworded, trustedBy } from '../plan/trust.ts';
import type { SyncPass } from '../sync-pass.ts';
import { hasUnrecordedWrites, pushPlan, recordEarlierWrites } from '../upstream/push.ts';
import { sessionOf, tellSession } from '../upstream/tell-session.ts';
import { describePlan, detach, postpone, postponeFailed, recordPlan, recordRound } from './mirror-record.ts';

// Either side may change while it is compared: three rounds for the tracker, some more for a person who keeps saving.
const ROUNDS = 6;
const FILE_LOOK_MS = 60_000; // A file that can't be read now may be mended at any moment.

/** Deals with one mirror.
 * @param remote what the tracker says now; null when it was not asked
 * @returns false when it has to be looked at again
 * @throws RoomError that ends the sync of the source */
export async function syncMirror(pass: SyncPass, task: TaskId, remote: RemoteTask | null): Promise<boolean> {
  pass.assertNotStopped();
  const { mirrors } = pass.deps.ledger;
  try {
    let seen = remote;
    for (let round = 0; round < ROUNDS; round += 1) {
      const row = mirrors.get(task);
      if (row === null || row.state === 'detached') return true;
      const step = await syncOnce(pass, row, seen);
      if (typeof step === 'boolean') return step;
      seen = step.remote;
    }
    postpone(pass, task, remote, 'both sides keep changing');
    return false;
  } catch (error) {
    postponeFailed(pass, task, remote, 'mirror', error);
    return false;
  }
}

/** Runs one round. Returns whether the mirror is dealt with, or the remote side to plan with again. */
async function syncOnce(pass: SyncPass, row: MirrorRow, asked: RemoteTask | null) {
  const read = () => readTaskFile(pass.deps, row, pass.signal, isUnchanged(row, asked));
  let file = await read();
  if (await restoreDropped(pass, row, file)) file = await read();
  if (file.kind === 'same') return true;
  if (file.kind !== 'file') return skipFile(pass, row, file, asked);
  const remote = await remoteToCompare(pass, row, asked);
  if (remote === 'gone') return detachLost(pass, row, null);
  if (remote !== null && remote.uid !== row.uid) return detachLost(pass, row, remote);
  if (row.localHash === file.local.hash && isUnchanged(row, remote)) return true;
  const plan = planMirror(planInputFor(pass, row, file, remote, await actsOn(pass, row, remote)));
  assertOneRoom(pass, row, plan.stranger);
  if (pass.isDry) {
    describePlan(pass, row, file, plan);
    return true;
  }
  if (
    file.archived &&
    plan.local?.status !== undefined &&
    !saysFinished(plan.local.status, pass.deps.config().statuses)
  ) {
    moveBack(pass, row, file);
    return { remote: await pass.fetchOne(row.ref) };
  }
  return carryOut(pass, row, file, plan, remote);
}

/** Restores entries that a stale editor buffer dropped, before anything is planned: they are neither deleted nor new. */
async function restoreDropped(pass: SyncPass, row: MirrorRow, file: FileState): Promise<boolean> {
  const { ledger, writer } = pass.deps;
  const path = ledger.tasks.get(row.task)?.path ?? null;
  const isKnown = file.kind === 'same' || (file.kind === 'file' && file.local.hash === row.localHash);
  if (path === null || isKnown) return false;
  const { restored } = await writer.restore(path, pass.isDry);
  if (restored > 0) pass.written.add(path);
  return restored > 0;
}

async function carryOut(
  pass: SyncPass,
  row: MirrorRow,
  file: TaskFile,
  plan: MirrorPlan,
  remote: RemoteTask | null,
): Promise<boolean | { remote: RemoteTask | null }> {
  // What was not listed just now may have become another issue: a repository made anew counts from 1.
  const isToSend = pass.options.push && (plan.push !== null || plan.comments.length > 0);
  if (isToSend && remote === null) {
    const present = await pass.fetchOne(row.ref);
    if (present?.uid !== row.uid) return detachLost(pass, row, present);
    // Another room may have written there in this one's name since the last look.
    const { stranger } = planMirror(planInputFor(pass, row, file, present));
    assertOneRoom(pass, row, stranger);
    if (stranger !== null) return { remote: present };
    // Words that somebody typed into a comment of ours are kept before it is edited.
    if (plan.comments.some((push) => isEditedThere(push, plan, present))) return { remote: present };
  }
  const written = await writeTaskFile(pass, file, plan, row.uid);
  if (written === null) return { remote };
  const round = { row, file, plan, written, remote };
  // Words that the archive does not take in are agreed on once it is reopened.
  if (!file.archived || plan.local === null) recordPlan(pass, round);
  if (!pass.options.push) {
    const left = plan.push !== null || plan.comments.length > 0;
    recordRound(pass, { ...round, refused: null, waitUntil: null, again: left });
    return true;
  }
  const sessionAt = file.archived ? null : await tellSession(pass, row, written.side);
  const pushed = await pushPlan(pass, row, plan, written.side, remote);
  if (sessionAt !== null) pushed.waitUntil = Math.max(pushed.waitUntil ?? 0, sessionAt);
  if (pushed.outcome === 'gone') return detachLost(pass, row, null);
  if (pushed.outcome === 'conflict') {
    const now = await pass.fetchOne(row.ref);
    return now === null ? detachLost(pass, row, null) : { remote: now };
  }
  const { title } = written.side;
  const path = title === null || file.archived ? null : followTitle(pass, row, file, title);
  recordRound(pass, { ...round, ...pushed, again: false, path });
  return written.crossed || pushed.again ? { remote: null } : true;
}

// Of no single issue: it ends the sync of the source, and a person says which room this is.
function assertOneRoom({ chore, options }: SyncPass, row: MirrorRow, stranger: string | null): void {
  if (stranger === null || options.sameRoom === true) return;
  const ref = `${row.provider}:${row.ref}`;
  const message = `${ref} has a comment by this room that this room never wrote: a copy of it syncs the same source`;
  const name = JSON.stringify(chore);
  const hint = `if it is this room's (an older ledger was restored, say): taskroom sync ${name} --same-room; if this is the copy: taskroom sync ${name} --new-room`;
  throw new RoomError('ambiguous', message, hint);
}

function isEditedThere(push: CommentPush, { base }: MirrorPlan, { comments }: RemoteTask): boolean {
  const id = push.kind === 'entry' ? null : push.id;
  const there = id === null ? undefined : comments.items.find((comment) => comment.id === id);
  return there !== undefined && id !== null && hashOf(there.body) !== base.comments[id]?.remote;
}

/** @param present null for an issue that is not there, else another one that has its name by now */
function detachLost(pass: SyncPass, row: MirrorRow, present: RemoteTask | null): boolean {
  const other = 'is another issue now than the one that was mirrored';
  detach(pass, row, 'remote_gone', `${row.ref} ${present === null ? 'is not visible any more' : other}`);
  return true;
}

function skipFile(
  pass: SyncPass,
  row: MirrorRow,
  file: Exclude<FileState, TaskFile | { kind: 'same' }>,
  asked: RemoteTask | null,
): boolean {
  // A deleted file is dealt with by itself, see detachDeleted; not so one that was archived.
  if (file.kind === 'gone') {
    const archived = pass.deps.ledger.tasks.get(row.task)?.archived ?? null;
    if (archived !== null) detach(pass, row, 'file_gone', `${archived} was deleted here`);
    return true;
  }
  pass.skip({ ref: row.ref, task: row.task, what: 'file', why: file.why });
  postpone(pass, row.task, asked, file.why, FILE_LOOK_MS);
  return false;
}

/** What the tracker says, where planning needs it; asks for it when it was not listed. */
async function remoteToCompare(pass: SyncPass, row: MirrorRow, asked: RemoteTask | null) {
  const unproved = hasUnrecordedWrites(pass, row);
  // Older than what we know of it: a replica that lags behind. Its second word is believed.
  const stale = asked !== null && asked.updatedAt < row.remoteUpdatedAt;
  const needed =
    unproved || stale || row.base === null || row.remoteHash === null || lacksComments(row, asked);
  // A listing may bring only the comments that are new since.
  const enough = asked !== null && !stale && (!needed || asked.comments.complete);
  const remote = enough || !needed ? asked : await pass.fetchOne(row.ref);
  if (remote === null && needed) return 'gone';
  if (unproved && remote !== null && !pass.isDry) recordEarlierWrites(pass, row, remote);
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
export function isUnchanged(row: MirrorRow, remote: RemoteTask | null): boolean {
  if (row.localHash === null || row.dueAt !== null || row.base === null || row.remoteHash === null)
    return false;
  return remote === null || row.remoteHash === remoteHashOf(remote);
}

export function planInputFor(
  pass: SyncPass,
  row: MirrorRow,
  file: TaskFile,
  remote: RemoteTask | null,
  acts: PlanInput['acts'] = null,
): PlanInput {
  const { ledger, effects } = pass.deps;
  // Read again: what an earlier sync sent may have just been found out.
  const base = baseOf(ledger.mirrors.get(row.task) ?? row);
  return {
    base,
    local: file.local,
    remote,
    config: pass.config,
    profile: pass.provider.profile,
    provider: pass.config.provider,
    statuses: pass.deps.config().statuses,
    ...linksOf(ledger, pass.config.provider),
    posted: ledger.postedComments.among(file.local.comments.map(({ id }) => id)),
    room: pass.room,
    acts,
    restored: pass.options.force ? null : restoredSide(pass.deps, row.task, file.path),
    intended: new Set(ledger.outbox.all({ task: row.task }).map(({ key }) => key)),
    // A done that waits for its checks is not sent either.
    running: ledger.turns.runningOn(threadOfTask(row.task)) !== null || ledger.checks.isHeld(row.task),
    inSession: sessionOf(pass, row.task) !== null,
    savedAt: file.savedAt,
    now: effects.now(),
  };
}

/** Who reworded or reopened the issue; asked only where it can close the gate. */
async function actsOn(pass: SyncPass, row: MirrorRow, remote: RemoteTask | null): Promise<PlanInput['acts']> {
  const { config, provider, signal } = pass;
  const base = baseOf(row);
  const isGated = trustedBy(config, provider.profile).roles !== null;
  const isReworking = config.trust.edits === 'trusted' && isReworded({ base, remote });
  const isNews = isReworking || isReopened({ base, remote });
  if (!isGated || !isNews || remote === null || base === null) return null;
  return (await provider.acts?.(remote, base.remote.updatedAt, signal)) ?? null;
}

/** What of an earlier version the file was made again. */
function restoredSide({ ledger, config }: SyncPass['deps'], task: TaskId, path: string) {
  const restored = ledger.versions.restored(task);
  const local = restored && readLocalSide(path, restored.text, config);
  return local && { ...restored, local };
}
