// One sync of one source, step by step: what earlier syncs left, what is listed, the guard, what changed there, what
// changed here. What is not there any more ends being followed: neither side is ever deleted for it.
import { existsSync } from 'node:fs';
import { formatProblem, RoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import { isFinished } from '../core/task/status.ts';
import type { RemoteChange, RemoteTask } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors/mirrors.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import { readTaskFile } from './file/task-file.ts';
import { attach, detach, postpone, postponeFailed, sidesChanged } from './mirror/mirror-record.ts';
import { isUnchanged, planInputFor, syncMirror } from './mirror/sync-mirror.ts';
import { finishPublish } from './pairing/pair-task.ts';
import { planMirror } from './plan/plan.ts';
import { baseOf } from './plan/plan-data.ts';
import { isChoreThere, type PullResult, pull, pullNamed } from './pull.ts';
import { openPullRequests } from './pull-requests/open-pull.ts';
import type { SyncPass } from './sync-pass.ts';
import { takeSessions } from './take-sessions.ts';
import { mayTryAt, send } from './upstream/outbox.ts';
import { expectedOf } from './upstream/push.ts';

/** A mirror to deal with; its remote side is null when it was not asked for. */
type Item = { task: TaskId; remote: RemoteTask | null };

const FULL_EVERY_MS = 86_400_000; // Only a full listing finds issues that vanished; every sync finds changes.

/** @throws RoomError that ended it; what was done before is recorded */
export async function syncSource(pass: SyncPass, source: SourceRow): Promise<void> {
  const { choreMirrors } = pass.deps.ledger;
  if (!pass.isDry) await recoverEarlier(pass);
  const pulled = await pullAsked(pass, source);
  const { gone = [], open = choreMirrors.count(pass.chore) } = pulled ?? {};
  const known = pulled === null ? [] : await takeSessions(pass, source, pulled.known);
  const listed = new Set(known.map(({ task }) => task));
  const dirty = (): Item[] =>
    [...new Set([...(pass.options.push ? dirtyTasks(pass) : []), ...unseenTasks(pass)])]
      .filter((task) => !listed.has(task))
      .map((task) => ({ task, remote: null }));
  const deleted = choreMirrors.fileless(pass.chore, Math.trunc(pass.deps.effects.now()));
  if (pass.options.force !== true)
    await guard(pass, known, { gone: gone.length, open }, dirty(), deleted.length);
  await applyAll(pass, 'applying', known);
  for (const row of gone) detach(pass, row, 'remote_gone', `${row.ref} is not visible any more`);
  for (const task of deleted) await detachDeleted(pass, task);
  await applyAll(pass, 'pushing', dirty());
  await openPullRequests(pass);
  reportUnreadable(pass);
  if (pulled && !pass.isDry) keepCursor(pass, source, pulled);
}

/** Null when nothing is to be asked for. */
async function pullAsked(pass: SyncPass, source: SourceRow): Promise<PullResult | null> {
  const { pull: asks, issues, full } = pass.options;
  if (!asks) return null;
  if (issues !== undefined) return pullNamed(pass, issues);
  return pull(pass, source, full === true || isFullDue(source, pass.deps.effects.now()));
}

function isFullDue(source: SourceRow, now: number): boolean {
  const { cursor, fullAt } = source;
  // Never finished: it goes on where it was stopped.
  if (cursor === null || fullAt === null) return cursor === null;
  return fullAt > now || now - fullAt >= FULL_EVERY_MS;
}

function keepCursor(pass: SyncPass, source: SourceRow, { cursor, whole }: PullResult): void {
  const now = Math.trunc(pass.deps.effects.now());
  const done = cursor !== null && (whole || source.fullAt === null);
  pass.deps.ledger.sources.update(pass.chore, {
    ...(cursor === null ? {} : { cursor }),
    ...(done ? { fullAt: now } : {}),
  });
}

/** Finishes what an earlier sync, or its crash, left behind. */
async function recoverEarlier(pass: SyncPass): Promise<void> {
  const { ledger, room, effects } = pass.deps;
  for (const row of ledger.choreMirrors.unmade(pass.chore)) {
    const made = ledger.files.pathsOfId(row.task).length > 0 || (row.path && existsSync(room.at(row.path)));
    if (!made) ledger.mirrors.delete(row.task);
  }
  adoptOrphans(pass);
  for (const task of ledger.choreMirrors.revived(pass.chore)) attach(pass, ledger.mirrors.get(task)!);
  const due = ledger.outbox.all({ chore: pass.chore }).filter((row) => mayTryAt(pass, row) <= effects.now());
  for (const row of due) if (row.kind === 'create' && pass.options.push) await finishPublish(pass, row);
  const tasks = due.filter(({ kind }) => kind !== 'create' && (pass.options.push || kind !== 'comment'));
  for (const task of new Set(tasks.map((row) => row.task))) await recoverTask(pass, task);
}

/** Mirrors of a chore that was renamed or taken away are this one's, where their issues are of its source. */
function adoptOrphans({ deps, chore, config, factory }: SyncPass): void {
  const { mirrors, choreMirrors } = deps.ledger;
  for (const { task, ref, chore: other } of choreMirrors.orphans(config.provider, [chore]))
    if (!isChoreThere(deps, other) && factory.owns(ref, config)) mirrors.update(task, { chore });
}

async function recoverTask(pass: SyncPass, task: TaskId): Promise<void> {
  const { ledger } = pass.deps;
  const row = ledger.mirrors.get(task);
  if (row === null || row.state === 'detached') {
    for (const { id } of ledger.outbox.all({ task: task })) ledger.outbox.delete(id);
    return;
  }
  ledger.mirrors.update(task, { localHash: null, dueAt: null });
  await syncMirror(pass, task, null);
}

/** Reports mirrored files that can't be read: they are neither sent nor updated. */
function reportUnreadable(pass: SyncPass): void {
  const { files, choreMirrors } = pass.deps.ledger;
  for (const { task, ref, path } of choreMirrors.unreadable(pass.chore)) {
    if (pass.report.skipped.some((one) => one.task === task && one.what === 'file')) continue;
    const reading = files.get(path)?.reading;
    const problem = reading?.ok === false ? reading.invalid.problems[0] : undefined;
    const why = `${path} can't be read as a task${problem ? `: ${formatProblem(problem)}` : ''}`;
    pass.skip({ ref, task, what: 'file', why });
  }
}

/** A local program's listing compares what tasks say: a task whose person undid our write shows no change. */
const unseenTasks = ({ deps, chore, options, provider }: SyncPass): TaskId[] =>
  options.pull && !provider.profile.remote ? deps.ledger.choreMirrors.unseen(chore) : [];

/** In a dry run nothing was taken in from disk: each file is looked at. */
function dirtyTasks(pass: SyncPass): TaskId[] {
  const { choreMirrors } = pass.deps.ledger;
  if (pass.isDry) return choreMirrors.followed(pass.chore).map(({ task }) => task);
  // What waits for a better moment has it when a person asks.
  const until = pass.options.byPerson ? Number.MAX_SAFE_INTEGER : pass.deps.effects.now();
  return choreMirrors.dirty(pass.chore, until);
}

async function guard(
  pass: SyncPass,
  known: readonly Item[],
  vanished: { gone: number; open: number },
  dirty: readonly Item[],
  localGone: number,
): Promise<void> {
  const { deps, chore } = pass;
  const total = deps.ledger.choreMirrors.count(chore);
  const listed = await countChanges(pass, known);
  const here = await countChanges(pass, dirty);
  const localChanged = listed.local + here.local;
  assertGuard({ known: total, remoteChanged: listed.remote, localChanged, localGone }, chore);
  assertGuard({ known: vanished.open, remoteGone: vanished.gone }, chore);
}

/** How many of these would change a side; not worth a look while they are too few to be held back. */
async function countChanges(pass: SyncPass, items: readonly Item[]) {
  const count = { remote: 0, local: 0 };
  if (items.length <= MASS_ABOVE) return count;
  for (const { task, remote } of items) {
    const row = pass.deps.ledger.mirrors.get(task);
    if (row === null || (row.base === null && remote === null)) continue;
    const file = await readTaskFile(pass.deps, row, pass.signal, isUnchanged(row, remote));
    if (file.kind !== 'file') continue;
    const changed = sidesChanged(planMirror(planInputFor(pass, row, file, remote)));
    count.remote += Number(changed.remote);
    count.local += Number(changed.local);
  }
  return count;
}

/** One that can't be dealt with now is recorded as to be asked for again, so that the cursor may pass it. */
async function applyAll(pass: SyncPass, phase: 'applying' | 'pushing', items: readonly Item[]) {
  for (const [index, { task, remote }] of items.entries()) {
    await syncMirror(pass, task, remote);
    const done = index + 1;
    if (done % 20 !== 0 && done !== items.length) continue;
    pass.reportProgress(phase, done, items.length);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Ends following what a person deleted here; a room that cancels deleted tasks cancels them upstream too. */
async function detachDeleted(pass: SyncPass, task: TaskId): Promise<void> {
  const row = pass.deps.ledger.mirrors.get(task);
  if (row === null) return;
  try {
    if (await cancelUpstream(pass, row)) detach(pass, row, 'file_gone', 'its file was deleted here');
    else if (pass.options.push) postpone(pass, task, null, 'its issue is canceled a little later');
  } catch (error) {
    postponeFailed(pass, task, null, 'status', error);
  }
}

/** @returns false while the cancelling still has to be sent */
async function cancelUpstream(pass: SyncPass, row: MirrorRow): Promise<boolean> {
  const { deps, provider, config } = pass;
  const base = baseOf(row);
  const wanted =
    deps.config().onDelete === 'cancel' && deps.ledger.tasks.get(row.task)?.status === 'canceled';
  if (!wanted || !base || isFinished(base.remote.status)) return true;
  if (!config.push.includes('status') || !provider.write) return true;
  if (!pass.options.push) return false;
  if (pass.isDry) {
    pass.report.plan.push(`cancel ${row.provider}:${row.ref}: its task was deleted`);
    return true;
  }
  const present = await pass.fetchOne(row.ref);
  if (present === null || present.uid !== row.uid) return true;
  const { outbox } = deps.ledger;
  const change: RemoteChange = { status: 'canceled' };
  // An older intent with other words must not stand in for this one.
  for (const { id, kind, payload } of outbox.all({ task: row.task }))
    if (kind === 'update' && payload !== JSON.stringify({ change })) outbox.delete(id);
  const sent = await send(
    pass,
    { kind: 'update', task: row.task, key: `update:${row.provider}:${row.uid}`, payload: { change } },
    (intended) => pass.provider.write!.update(row.ref, intended.change, expectedOf(base)!, pass.signal),
    () => undefined,
  );
  if (sent.outcome === 'sent') pass.report.pushed += 1;
  else if (sent.outcome === 'waiting') return false;
  else pass.skip({ ref: row.ref, task: row.task, what: 'status', why: sent.error.message });
  return true;
}

// What no sync may do without a person's word: believe that a side is suddenly empty, or change most of it at once.

/** Fewer mirrors than this may vanish all at once: somebody deleted them. */
export const EMPTY_ABOVE = 3;
/** Changes up to this many are never held back. */
export const MASS_ABOVE = 20;

export interface GuardFacts {
  known: number;
  remoteChanged?: number; // Of those, how many the tracker changed, or shows no more.
  remoteGone?: number;
  localChanged?: number; // … and how many changed here, or lost their file.
  localGone?: number;
}

/** Why the sync must not go on, or null. Pure. */
export function guardOf(facts: GuardFacts): string | null {
  const { known, remoteChanged = 0, remoteGone = 0, localChanged = 0, localGone = 0 } = facts;
  if (known >= EMPTY_ABOVE && remoteGone >= known)
    return `the tracker shows none of ${known} mirrored issues any more`;
  if (known >= EMPTY_ABOVE && localGone >= known) return `the files of all ${known} mirrored tasks are gone`;
  if (isMass(remoteChanged + remoteGone, known))
    return `${remoteChanged + remoteGone} of ${known} mirrored issues changed upstream at once`;
  if (isMass(localChanged + localGone, known))
    return `${localChanged + localGone} of ${known} mirrored tasks changed here at once`;
  return null;
}

const isMass = (count: number, known: number): boolean => count > MASS_ABOVE && count > known / 2;

/** @throws RoomError `refused` when the guard stops the sync */
export function assertGuard(facts: GuardFacts, chore: string): void {
  const why = guardOf(facts);
  const hint = `look at both sides; if it is meant: taskroom sync ${JSON.stringify(chore)} --force`;
  if (why !== null) throw new RoomError('refused', `${why}; nothing was changed`, hint);
}
