// One sync of one source, step by step: what earlier syncs left, what is listed, the guard, what changed there, what
// changed here.
import { existsSync } from 'node:fs';
import type { TaskId } from '../core/ids.ts';
import type { SourceRow } from '../store/ledger/sources.ts';
import { sidesChanged } from './describe.ts';
import { assertGuard, MASS_ABOVE } from './guard.ts';
import { inputFor, isNoNews, syncItem } from './item.ts';
import { attach, detach } from './item-record.ts';
import { planMirror } from './plan.ts';
import { finishPublish } from './publish.ts';
import { isChoreThere, type Known, type Pulled, pull } from './pull.ts';
import { fetchClaimed } from './rebuild.ts';
import { isDry, type Run, tell } from './run.ts';
import { readTaskFile } from './task-file.ts';
import { dealWithDeleted, findVanished, type Vanished } from './vanish.ts';

/** A mirror to deal with; its remote side is null when it was not asked for. */
interface Item {
  task: TaskId;
  remote: Known['remote'] | null;
}

// A whole listing finds what vanished; changes come with every sync.
const FULL_EVERY_MS = 86_400_000;

/** @throws RoomError that ended it; what was done before is recorded */
export async function syncSource(run: Run, source: SourceRow): Promise<void> {
  const { ledger, effects } = run.deps;
  if (!isDry(run)) await takeUp(run);
  const full = run.options.full === true || isFullDue(source, effects.now());
  const pulled = run.options.pull ? await pull(run, source, full) : null;
  const vanished: Vanished = pulled?.whole
    ? await findVanished(run, pulled.listed, source.cursor === null)
    : { gone: [], known: [], open: 0 };
  const claimed = pulled?.whole ? await fetchClaimed(run, pulled.claims) : [];
  const known = [...(pulled?.known ?? []), ...vanished.known, ...claimed];
  const listed = new Set(known.map(({ task }) => task));
  const dirty = (): Item[] =>
    (run.options.push ? dirtyTasks(run) : [])
      .filter((task) => !listed.has(task))
      .map((task) => ({ task, remote: null }));
  const deleted = ledger.mirrors.fileless(run.chore, Math.trunc(effects.now()));
  await guard(run, known, vanished, dirty(), deleted);
  await applyAll(run, 'applying', known);
  for (const row of vanished.gone) detach(run, row, 'remote_gone', `${row.ref} is not visible any more`);
  await dealWithDeleted(run, deleted);
  await applyAll(run, 'pushing', dirty());
  if (pulled && !isDry(run)) keepCursor(run, source, pulled);
}

function isFullDue(source: SourceRow, now: number): boolean {
  const { cursor, fullAt } = source;
  // Never finished: it goes on where it was stopped.
  if (cursor === null || fullAt === null) return cursor === null;
  return fullAt > now || now - fullAt >= FULL_EVERY_MS;
}

function keepCursor(run: Run, source: SourceRow, { cursor, whole }: Pulled): void {
  const now = Math.trunc(run.deps.effects.now());
  const done = cursor !== null && (whole || source.fullAt === null);
  run.deps.ledger.sources.update(run.chore, {
    ...(cursor === null ? {} : { cursor }),
    ...(done ? { fullAt: now } : {}),
  });
}

/** Takes up what an earlier sync, or its crash, left behind. */
async function takeUp(run: Run): Promise<void> {
  const { ledger, room, effects } = run.deps;
  for (const row of ledger.mirrors.unmade(run.chore)) {
    const made = ledger.files.pathsOfId(row.task).length > 0 || (row.path && existsSync(room.at(row.path)));
    if (!made) ledger.mirrors.delete(row.task);
  }
  adoptOrphans(run);
  for (const task of ledger.mirrors.revived(run.chore)) attach(run, ledger.mirrors.byTask(task)!);
  const due = ledger.outbox
    .ofChore(run.chore)
    .filter(({ notBefore }) => run.options.force === true || (notBefore ?? 0) <= effects.now());
  for (const row of due) if (row.kind === 'create' && run.options.push) await finishPublish(run, row);
  const tasks = due.filter(({ kind }) => kind !== 'create' && (run.options.push || kind !== 'comment'));
  for (const task of new Set(tasks.map((row) => row.task))) await takeUpTask(run, task);
}

/** Mirrors of a chore that was renamed or taken away are this one's, where their issues are of its source. */
function adoptOrphans({ deps, chore, config, factory }: Run): void {
  const { mirrors } = deps.ledger;
  for (const { task, ref, chore: other } of mirrors.orphans(config.provider, [chore]))
    if (!isChoreThere(deps, other) && factory.owns(ref, config)) mirrors.update(task, { chore });
}

async function takeUpTask(run: Run, task: TaskId): Promise<void> {
  const { ledger } = run.deps;
  const row = ledger.mirrors.byTask(task);
  if (row === null || row.state === 'detached') {
    for (const { id } of ledger.outbox.ofTask(task)) ledger.outbox.delete(id);
    return;
  }
  ledger.mirrors.update(task, { localHash: null, dueAt: null });
  await syncItem(run, task, null);
}

/** In a dry run nothing was taken in from disk: each file is looked at. */
function dirtyTasks(run: Run): TaskId[] {
  const { mirrors } = run.deps.ledger;
  if (isDry(run)) return mirrors.followed(run.chore).map(({ task }) => task);
  return mirrors.dirty(run.chore, run.deps.effects.now());
}

async function guard(
  run: Run,
  known: readonly Known[],
  vanished: Vanished,
  dirty: readonly Item[],
  deleted: readonly TaskId[],
): Promise<void> {
  const force = run.options.force === true;
  const total = run.deps.ledger.mirrors.count(run.chore);
  const listed = await countChanges(run, known);
  const here = await countChanges(run, dirty);
  const localChanged = listed.local + here.local;
  assertGuard(
    { known: total, remoteChanged: listed.remote, remoteGone: 0, localChanged, localGone: deleted.length },
    run.chore,
    force,
  );
  const { gone, open } = vanished;
  const facts = { remoteChanged: 0, remoteGone: gone.length, localChanged: 0, localGone: 0 };
  assertGuard({ known: open, ...facts }, run.chore, force);
}

/** How many of these would change a side; not worth a look while they are too few to be held back. */
async function countChanges(run: Run, items: readonly Item[]): Promise<{ remote: number; local: number }> {
  const count = { remote: 0, local: 0 };
  if (items.length <= MASS_ABOVE || run.options.force === true) return count;
  for (const { task, remote } of items) {
    const row = run.deps.ledger.mirrors.byTask(task);
    if (row === null || (row.base === null && remote === null)) continue;
    const file = await readTaskFile(run.deps, row, run.signal, isNoNews(row, remote));
    if (file.kind !== 'file') continue;
    const changed = sidesChanged(planMirror(inputFor(run, row, file, remote)));
    count.remote += Number(changed.remote);
    count.local += Number(changed.local);
  }
  return count;
}

/** One that can't be dealt with now is recorded as to be asked for again, so that the cursor may pass it. */
async function applyAll(run: Run, phase: 'applying' | 'pushing', items: readonly Item[]): Promise<void> {
  for (const [index, { task, remote }] of items.entries()) {
    await syncItem(run, task, remote);
    await breathe(run, phase, index + 1, items.length);
  }
}

async function breathe(run: Run, phase: 'applying' | 'pushing', done: number, total: number): Promise<void> {
  if (done % 20 !== 0 && done !== total) return;
  tell(run, phase, done, total);
  await new Promise<void>((resolve) => setImmediate(resolve));
}
