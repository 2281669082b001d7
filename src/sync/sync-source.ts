// One sync of one source, step by step: what earlier syncs left, what is listed, the guard, what changed there, what
// changed here.
import { existsSync } from 'node:fs';
import { formatProblem } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import { readTaskFile } from './file/task-file.ts';
import { attach, detach, sidesChanged } from './mirror/mirror-record.ts';
import { isUnchanged, planInputFor, syncMirror } from './mirror/sync-mirror.ts';
import { detachDeleted, findVanished, type Vanished } from './mirror/vanished.ts';
import { finishPublish } from './pairing/pair-task.ts';
import { fetchClaimed } from './pairing/rebuild-mirrors.ts';
import { assertGuard, MASS_ABOVE } from './plan/guard.ts';
import { planMirror } from './plan/plan.ts';
import { isChoreThere, type Known, type Pulled, pull, pullNamed } from './pull.ts';
import { isDry, type SyncPass, skip, tell } from './sync-pass.ts';
import { mayTryAt } from './upstream/outbox.ts';
import { openPullRequests } from './upstream/pull-requests.ts';

/** A mirror to deal with; its remote side is null when it was not asked for. */
interface Item {
  task: TaskId;
  remote: Known['remote'] | null;
}

// A whole listing finds what vanished; changes come with every sync.
const FULL_EVERY_MS = 86_400_000;

/** @throws RoomError that ended it; what was done before is recorded */
export async function syncSource(pass: SyncPass, source: SourceRow): Promise<void> {
  const { ledger, effects } = pass.deps;
  if (!isDry(pass)) await takeUp(pass);
  const pulled = await pullAsked(pass, source);
  const vanished: Vanished = pulled?.whole
    ? await findVanished(pass, pulled.listed, source.cursor === null || !pass.provider.profile.remote)
    : { gone: [...(pulled?.gone ?? [])], known: [], open: ledger.choreMirrors.count(pass.chore) };
  const claimed = pulled?.whole ? await fetchClaimed(pass, pulled.claims) : [];
  const known = [...(pulled?.known ?? []), ...vanished.known, ...claimed];
  const listed = new Set(known.map(({ task }) => task));
  const dirty = (): Item[] =>
    [...new Set([...(pass.options.push ? dirtyTasks(pass) : []), ...unseenTasks(pass)])]
      .filter((task) => !listed.has(task))
      .map((task) => ({ task, remote: null }));
  const deleted = ledger.choreMirrors.fileless(pass.chore, Math.trunc(effects.now()));
  await guard(pass, known, vanished, dirty(), deleted);
  await applyAll(pass, 'applying', known);
  for (const row of vanished.gone) detach(pass, row, 'remote_gone', `${row.ref} is not visible any more`);
  await detachDeleted(pass, deleted);
  await applyAll(pass, 'pushing', dirty());
  await openPullRequests(pass);
  sayUnreadable(pass);
  if (pulled && !isDry(pass)) keepCursor(pass, source, pulled);
}

/** Null when nothing is to be asked for. */
async function pullAsked(pass: SyncPass, source: SourceRow): Promise<Pulled | null> {
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

function keepCursor(pass: SyncPass, source: SourceRow, { cursor, whole }: Pulled): void {
  const now = Math.trunc(pass.deps.effects.now());
  const done = cursor !== null && (whole || source.fullAt === null);
  pass.deps.ledger.sources.update(pass.chore, {
    ...(cursor === null ? {} : { cursor }),
    ...(done ? { fullAt: now } : {}),
  });
}

/** Takes up what an earlier sync, or its crash, left behind. */
async function takeUp(pass: SyncPass): Promise<void> {
  const { ledger, room, effects } = pass.deps;
  for (const row of ledger.choreMirrors.unmade(pass.chore)) {
    const made = ledger.files.pathsOfId(row.task).length > 0 || (row.path && existsSync(room.at(row.path)));
    if (!made) ledger.mirrors.delete(row.task);
  }
  adoptOrphans(pass);
  for (const task of ledger.choreMirrors.revived(pass.chore)) attach(pass, ledger.mirrors.byTask(task)!);
  const due = ledger.outbox.ofChore(pass.chore).filter((row) => mayTryAt(pass, row) <= effects.now());
  for (const row of due) if (row.kind === 'create' && pass.options.push) await finishPublish(pass, row);
  const tasks = due.filter(({ kind }) => kind !== 'create' && (pass.options.push || kind !== 'comment'));
  for (const task of new Set(tasks.map((row) => row.task))) await takeUpTask(pass, task);
}

/** Mirrors of a chore that was renamed or taken away are this one's, where their issues are of its source. */
function adoptOrphans({ deps, chore, config, factory }: SyncPass): void {
  const { mirrors, choreMirrors } = deps.ledger;
  for (const { task, ref, chore: other } of choreMirrors.orphans(config.provider, [chore]))
    if (!isChoreThere(deps, other) && factory.owns(ref, config)) mirrors.update(task, { chore });
}

async function takeUpTask(pass: SyncPass, task: TaskId): Promise<void> {
  const { ledger } = pass.deps;
  const row = ledger.mirrors.byTask(task);
  if (row === null || row.state === 'detached') {
    for (const { id } of ledger.outbox.ofTask(task)) ledger.outbox.delete(id);
    return;
  }
  ledger.mirrors.update(task, { localHash: null, dueAt: null });
  await syncMirror(pass, task, null);
}

/** What nobody could look at is neither sent nor brought up to date, though neither side asked for it. */
function sayUnreadable(pass: SyncPass): void {
  const { files, choreMirrors } = pass.deps.ledger;
  for (const { task, ref, path } of choreMirrors.unreadable(pass.chore)) {
    if (pass.report.skipped.some((one) => one.task === task && one.what === 'file')) continue;
    const reading = files.get(path)?.reading;
    const problem = reading?.ok === false ? reading.invalid.problems[0] : undefined;
    const why = `${path} can't be read as a task${problem ? `: ${formatProblem(problem)}` : ''}`;
    skip(pass, { ref, task, what: 'file', why });
  }
}

/** A local program's listing tells changes by what tasks say: one that takes our write back shows none. */
function unseenTasks({ deps, chore, options, provider }: SyncPass): TaskId[] {
  return options.pull && !provider.profile.remote ? deps.ledger.choreMirrors.unseen(chore) : [];
}

/** In a dry run nothing was taken in from disk: each file is looked at. */
function dirtyTasks(pass: SyncPass): TaskId[] {
  const { choreMirrors } = pass.deps.ledger;
  if (isDry(pass)) return choreMirrors.followed(pass.chore).map(({ task }) => task);
  // What waits for a better moment has it when a person asks.
  return choreMirrors.dirty(
    pass.chore,
    pass.options.asked ? Number.MAX_SAFE_INTEGER : pass.deps.effects.now(),
  );
}

async function guard(
  pass: SyncPass,
  known: readonly Known[],
  vanished: Vanished,
  dirty: readonly Item[],
  deleted: readonly TaskId[],
): Promise<void> {
  const force = pass.options.force === true;
  const total = pass.deps.ledger.choreMirrors.count(pass.chore);
  const listed = await countChanges(pass, known);
  const here = await countChanges(pass, dirty);
  const localChanged = listed.local + here.local;
  assertGuard(
    { known: total, remoteChanged: listed.remote, remoteGone: 0, localChanged, localGone: deleted.length },
    pass.chore,
    force,
  );
  const { gone, open } = vanished;
  const facts = { remoteChanged: 0, remoteGone: gone.length, localChanged: 0, localGone: 0 };
  assertGuard({ known: open, ...facts }, pass.chore, force);
}

/** How many of these would change a side; not worth a look while they are too few to be held back. */
async function countChanges(
  pass: SyncPass,
  items: readonly Item[],
): Promise<{ remote: number; local: number }> {
  const count = { remote: 0, local: 0 };
  if (items.length <= MASS_ABOVE || pass.options.force === true) return count;
  for (const { task, remote } of items) {
    const row = pass.deps.ledger.mirrors.byTask(task);
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
async function applyAll(
  pass: SyncPass,
  phase: 'applying' | 'pushing',
  items: readonly Item[],
): Promise<void> {
  for (const [index, { task, remote }] of items.entries()) {
    await syncMirror(pass, task, remote);
    await giveWay(pass, phase, index + 1, items.length);
  }
}

async function giveWay(
  pass: SyncPass,
  phase: 'applying' | 'pushing',
  done: number,
  total: number,
): Promise<void> {
  if (done % 20 !== 0 && done !== total) return;
  tell(pass, phase, done, total);
  await new Promise<void>((resolve) => setImmediate(resolve));
}
