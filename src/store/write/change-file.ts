// One change of a file from reading to rename. The first round takes two ledger transactions: the intention with the old
// text, before the file is touched; then look, rename and record as one. While somebody saves all the time, a whole round is
// one transaction, so that of all programs only the person's can come between, and for a few milliseconds.
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { idOf } from '../../core/merge/lost-entries.ts';
import type { StatusWords } from '../../core/task/key-kinds.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { Database } from '../ledger/database.ts';
import type { FileStamp } from '../ledger/tasks/files.ts';
import type { versions, WritesTable } from '../ledger/writes/writes.ts';
import { type Room, roomPathOf } from '../room.ts';
import type { GitSaves } from './git-save.ts';
import { appendOverflow } from './move-file.ts';
import type { Replaced, Staged } from './replace-file.ts';
import {
  dropStaged,
  flushNow,
  flushSoon,
  stageFile,
  stampOfStaged,
  swapIn,
  syncFolder,
  syncFolderSoon,
  toBytes,
} from './replace-file.ts';
import {
  assertText,
  EMPTY_REST_MS,
  hashBytes,
  isStillAs,
  REST_MS,
  readNow,
  readStable,
  type StableText,
} from './stable-read.ts';
import { type InnerChange, type Plan, planWrite } from './write-plan.ts';

/** Intention recorded, file renamed, all recorded. */
export type WritePoint = 'intended' | 'renamed' | 'recorded';

export interface WriteContext {
  room: Room;
  effects: Effects;
  database: Database;
  writes: WritesTable;
  versions: ReturnType<typeof versions.open>;
  git: GitSaves;
  words: StatusWords;
  probe: ((point: WritePoint) => void) | undefined;
}

export interface ChangeResult {
  changed: boolean;
  before: string;
  after: string;
  restored: number;
  seq: number | null; // The write's row, null when nothing was written.
  /** Of the file with the new text; null when nothing was written, or somebody changed it since. */
  stamp: FileStamp | null;
}

type Job = { context: WriteContext; path: string; change: InnerChange };

interface Attempt extends Job {
  read: StableText;
  plan: Plan;
  /** Something would be put back into a text of which git was not asked: nothing is, where git wrote it. */
  asksGit: boolean;
}

const GIVE_UP_MS = 60_000; // A file that lets nobody in for so long is being saved without end.
const ASK_GIT_ROUNDS = 10; // Git replaces a file once; who saves it over and over is another.
const PATIENCE_MS = 150; // Longer than any one save takes.
const LAST_DOUBT = 4; // Rounds in which an unreadable text is doubted: together longer than a save takes.

/** Carries a change out, again on each newer text, until the file held still for the moment of the rename. */
export async function changeFile(context: WriteContext, path: string, change: InnerChange) {
  const { effects } = context;
  const job = { context, path, change };
  const giveUpAtMs = effects.monotonicMs() + GIVE_UP_MS;
  for (let round = 0; effects.monotonicMs() < giveUpAtMs; round += 1) {
    try {
      const isFirst = round === 0;
      const result = await (isFirst ? changeRestingFile(job) : changeBusyFile(job, round < ASK_GIT_ROUNDS));
      if (typeof result === 'object') return result;
      await sleep(effects, result);
    } catch (error) {
      // Half of a front matter can't be read either: with more rest it is what was meant.
      if (!isRoomError(error, 'invalid_file') || round >= LAST_DOUBT) throw error;
      await sleep(effects, EMPTY_REST_MS / 2);
    }
  }
  const hint = 'see which program saves it over and over';
  throw new RoomError('conflict', `${path} is being changed without end`, { hint, retryAfterMs: 1_000 });
}

/** @returns the result, or how many milliseconds to wait before another round */
async function changeRestingFile(job: Job): Promise<ChangeResult | number> {
  const { context, path, change } = job;
  const { room, effects, writes, database, git } = context;
  const file = room.at(path);
  const isOurs = (hash: string) => writes.isOurs(path, hash);
  const options = { effects, isOurs, shownAs: path, giveUpMs: PATIENCE_MS };
  const read: StableText =
    change.read && isStillAs(file, change.read.stat)
      ? { ...change.read, ok: true, unstable: false }
      : assertText(await readStable(file, options), path);
  if (read.hash !== writes.lastHash(path)) {
    // A write whose process died between the rename and its record.
    const intended = writes.intended(path, read.hash);
    if (intended !== null) await database.together(() => writes.confirm(intended));
    else await noteRestored(context, path, read);
  }
  let attempt = attemptOf(job, read);
  if (attempt.asksGit) {
    await git.isGits(path, read);
    attempt = attemptOf(job, read);
  }
  const { plan } = attempt;
  if (plan.text !== read.text)
    return change.stillWanted?.() === false ? resultOf(attempt) : writePlan(attempt);
  if (change.record || plan.updates.size > 0) await database.together(() => record(attempt));
  return resultOf(attempt);
}

/** Notes an earlier version of a mirrored file before anything is put back: what upstream said since is not undone by it. */
async function noteRestored(context: WriteContext, path: string, read: StableText): Promise<void> {
  const { versions, git, database } = context;
  const task = idOf(read.text) || null;
  const undone = task === null ? [] : versions.undone(task, read.hash);
  if (task === null || undone.length === 0) return;
  // No editor saves with a time before that of a version it replaces; who copies a backup back often does.
  const isOlder = read.stat.mtimeMs < (versions.savedAt(task) ?? 0);
  const proved = isOlder || (await git.isGits(path, read));
  await database.together(() => versions.setRestored(task, { text: read.text, undone, proved }));
}

function attemptOf(job: Job, read: StableText): Attempt {
  const { path, change } = job;
  const { writes, words, effects, git } = job.context;
  const { text, stat, unstable: quick } = read;
  const input = { path, change, writes, words, quick, text, savedAtMs: stat.mtimeMs, nowMs: effects.now() };
  const isForeign = read.hash !== writes.lastHash(path);
  const plan = planWrite({ ...input, foreign: isForeign ? 'person' : 'ours' });
  // Git matters only where something would be put back.
  const isGits = isForeign && plan.restoredCount > 0 ? git.known(path, read) : false;
  const given = { ...job, read, asksGit: isGits === undefined };
  return { ...given, plan: isGits ? planWrite({ ...input, foreign: 'git' }) : plan };
}

async function writePlan(attempt: Attempt): Promise<ChangeResult | number> {
  const { context, path, change, plan } = attempt;
  const { room, effects, writes, database, probe } = context;
  const bytes = toBytes(path, plan.text);
  if (plan.overflow) appendOverflow(room, plan.overflow);
  const staged = stageFile(room.at(path), bytes, effects);
  // Both are on disk before the file is touched, in whichever order.
  const [intended, flushed] = await Promise.allSettled([
    database.together(() => intend(attempt, hashBytes(bytes))),
    flushSoon(staged),
  ]);
  let isWanted = true;
  let renamed: Replaced = null;
  try {
    if (intended.status === 'rejected') throw intended.reason;
    if (flushed.status === 'rejected') throw flushed.reason;
    probe?.('intended');
    const seq = intended.value;
    const swap = database.together(() => {
      isWanted = renamed !== null || change.stillWanted?.() !== false;
      if (isWanted) renamed ??= rename(attempt, staged);
      if (renamed) record(attempt, { seq, renamed });
    });
    // A crash or a full disk between the rename and its record is mended at the next reading.
    await swap.catch((error: unknown) => {
      if (!renamed) throw error;
    });
    if (renamed) {
      probe?.('recorded');
      await syncFolderSoon(staged.target);
      return resultOf(attempt, seq, staged);
    }
  } finally {
    dropStaged(staged);
    if (intended.status === 'fulfilled' && !renamed)
      await database.together(() => writes.forget(intended.value)).catch(() => undefined);
  }
  return isWanted ? pauseMs(context) : resultOf(attempt);
}

/** A whole round inside one transaction. Entries with a key were intended before, by the first round. A program that saves
 * many times a second leaves no rest: then a text that may be half written is taken after all. What is still being written
 * goes into the old inode, and is merged from there.
 * @returns the result, or how many milliseconds to wait before another round */
async function changeBusyFile(job: Job, mayAskGit: boolean): Promise<ChangeResult | number> {
  const { context, path, change } = job;
  const { room, effects, writes, database, git, probe } = context;
  const isOurs = (hash: string) => writes.isOurs(path, hash);
  const options = { effects, isOurs, shownAs: path, restMs: mayAskGit ? REST_MS / 3 : 0 };
  let staged: Staged | null = null;
  try {
    const result = await database.transactionSoon(() => {
      const look = readNow(room.at(path), options);
      if ('waitMs' in look) return look.waitMs;
      const read = { ...assertText(look.read, path), unstable: true };
      const intended = read.hash === writes.lastHash(path) ? null : writes.intended(path, read.hash);
      if (intended !== null) writes.confirm(intended);
      const attempt = attemptOf(job, read);
      const { plan, asksGit } = attempt;
      if (mayAskGit && asksGit) return read;
      if (plan.text === read.text) record(attempt);
      if (plan.text === read.text || change.stillWanted?.() === false) return resultOf(attempt);
      const bytes = toBytes(path, plan.text);
      if (plan.overflow) appendOverflow(room, plan.overflow);
      staged = stageFile(room.at(path), bytes, effects);
      flushNow(staged);
      probe?.('intended');
      const renamed = rename(attempt, staged);
      if (renamed === null) return pauseMs(context);
      const seq = intend(attempt, hashBytes(bytes));
      record(attempt, { seq, renamed });
      return resultOf(attempt, seq, staged);
    });
    if (typeof result === 'number') return result;
    if ('bytes' in result) {
      await git.isGits(path, result);
      return 0;
    }
    if (staged === null) return result;
    probe?.('recorded');
    syncFolder((staged as Staged).target);
    return result;
  } finally {
    if (staged !== null) dropStaged(staged);
  }
}

/** How long to wait where the file was changed meanwhile: not at all would keep others from the ledger. */
const pauseMs = ({ effects }: WriteContext): number => 1 + (effects.randomBytes(1)[0]! % 8);

/** @param seq the write's row; null when nothing was written */
function resultOf({ read, plan }: Attempt, seq: number | null = null, staged?: Staged): ChangeResult {
  const before = read.text;
  if (seq === null) return { before, after: before, restored: 0, changed: false, seq, stamp: null };
  const { text: after, restoredCount: restored } = plan;
  return { before, after, restored, changed: true, seq, stamp: staged ? stampOfStaged(staged) : null };
}

/** Null when the file is not as it was read any more. */
function rename({ context, read }: Attempt, staged: Staged): Replaced {
  const { room, effects, probe } = context;
  const expected = { hash: read.hash, ino: read.stat.ino };
  const renamed = swapIn(staged, expected, join(room.ownDir, 'keep'), effects);
  if (renamed) probe?.('renamed');
  return renamed;
}

/** Records what is about to be written, with the old text; returns the write's row. */
function intend({ context, path, change, read, plan }: Attempt, afterHash: string): number {
  const { effects, writes } = context;
  const { actor, task, command = null } = change;
  const before = { beforeHash: read.hash, base: read.text };
  const seq = writes.intend({ atMs: effects.now(), path, task, actor, command, ...before, afterHash });
  for (const entry of plan.entries) writes.entries.intend(entry, seq);
  return seq;
}

/** Records what the plan did to entries; and in the same transaction that the file was renamed into place, where it was. */
function record(
  { context: { room, writes }, plan, change }: Attempt,
  done?: { seq: number; renamed: NonNullable<Replaced> },
): void {
  if (done !== undefined) {
    const { oldInode } = done.renamed;
    writes.confirm(done.seq, { ...done.renamed, oldInode: oldInode && roomPathOf(room, oldInode) });
  }
  for (const [seq, update] of plan.updates) writes.entries.update(seq, update);
  change.record?.();
}
