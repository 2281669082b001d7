// One change of a file from reading to rename. In its first round in two ledger transactions: the intention with the old
// text, before the file is touched; then look, rename and record as one. While somebody saves all the time, a whole round is
// one transaction, so that of all programs only the person's can come between, and for a few milliseconds.
import { statSync } from 'node:fs';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { idOf } from '../../core/merge/lost-entries.ts';
import { sleep } from '../../effects.ts';
import { sameStamp, stampOf } from '../ledger/tasks/files.ts';
import { syncFolder, syncFolderSoon } from './move-file.ts';
import { appendOverflow } from './overflow.ts';
import { dropStaged, type Staged, stageFile, stageSoon, stampOfStaged } from './replace-file.ts';
import { EMPTY_REST_MS, hashBytes, REST_MS, readNow, readStable, type StableText } from './stable-read.ts';
import {
  type Attempt,
  attemptOf,
  type ChangeResult,
  intend,
  type Renamed,
  record,
  recordPlan,
  rename,
  resultOf,
  textOf,
  toBytes,
  unwanted,
  type WriteContext,
} from './write-attempt.ts';
import type { InnerChange } from './write-plan.ts';

// A file that lets nobody in for so long is being saved without end.
const GIVE_UP_MS = 60_000;
// Git replaces a file once; who saves it over and over is another.
const ASK_GIT_ROUNDS = 10;
// Longer than any one save takes.
const PATIENCE_MS = 150;
// Rounds in which an unreadable text is doubted: together longer than a save takes.
const LAST_DOUBT = 4;

/** Carries a change out, again on each newer text, until the file held still for the moment of the rename. */
export async function changeFile(
  context: WriteContext,
  path: string,
  change: InnerChange,
): Promise<ChangeResult> {
  const { effects } = context;
  const giveUpAtMs = effects.monotonicMs() + GIVE_UP_MS;
  for (let round = 0; effects.monotonicMs() < giveUpAtMs; round += 1) {
    try {
      const result = await (round === 0
        ? changeRestingFile(context, path, change)
        : changeBusyFile(context, path, change, round));
      if (typeof result === 'object') return result;
      await sleep(effects, result);
    } catch (error) {
      // Half of a front matter can't be read either: with more rest it is what was meant.
      if (!isRoomError(error, 'invalid_file') || round >= LAST_DOUBT) throw error;
      await sleep(effects, EMPTY_REST_MS / 2);
    }
  }
  throw new RoomError('conflict', `${path} is being changed without end`, {
    hint: 'see which program saves it over and over',
    retryAfterMs: 1_000,
  });
}

/** How long to wait before another round, where the file was changed: not at all would keep others from the ledger. */
function soon({ effects }: WriteContext): number {
  return 1 + (effects.randomBytes(1)[0]! % 8);
}

/** What the caller read, where the file is still that. */
function givenText(path: string, { read }: InnerChange): StableText | null {
  const stat = read && statSync(path, { throwIfNoEntry: false });
  return stat && sameStamp(stampOf(stat), read.stat) ? { ...read, ok: true, unstable: false } : null;
}

/** @returns the result, or how many milliseconds to wait before another round */
async function changeRestingFile(
  context: WriteContext,
  path: string,
  change: InnerChange,
): Promise<ChangeResult | number> {
  const { room, effects, writes, database, git } = context;
  const isOurs = (hash: string) => writes.isOurs(path, hash);
  const options = { effects, isOurs, shownAs: path, giveUpMs: PATIENCE_MS };
  const read = givenText(room.at(path), change) ?? textOf(await readStable(room.at(path), options), path);
  let foreign = read.hash !== writes.lastHash(path);
  if (foreign && writes.isIntended(path, read.hash))
    foreign = !(await database.together(() => writes.recover(path, read.hash)));
  if (foreign) await noteRestored(context, path, read);
  let attempt = attemptOf(context, path, change, read, foreign ? 'person' : 'ours', read.unstable);
  // Git is asked only where something would be put back.
  if (foreign && attempt.plan.restoredCount > 0 && (await git.isGits(path, read)))
    attempt = attemptOf(context, path, change, read, 'git', read.unstable);
  const { plan } = attempt;
  if (plan.text === read.text) {
    if (change.record || plan.seen.length + plan.gone.length > 0)
      await database.together(() => recordPlan(attempt));
    return resultOf(attempt);
  }
  return change.stillWanted?.() === false ? unwanted(attempt) : writePlan(attempt);
}

/**
 * Notes that somebody made a mirrored file an earlier version of itself again, before anything is put back into it: what
 * upstream said since then is not undone by that.
 * @param read a text that we did not write
 */
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

async function writePlan(attempt: Attempt): Promise<ChangeResult | number> {
  const { context, path, plan } = attempt;
  const { room, effects, writes, database, probe } = context;
  const bytes = toBytes(path, plan.text);
  if (plan.spill) appendOverflow(room, plan.spill);
  // Both are on disk before the file is touched, in whichever order.
  const [intended, staged] = await Promise.allSettled([
    database.together(() => intend(attempt, hashBytes(bytes))),
    stageSoon(room.at(path), bytes, effects),
  ]);
  try {
    if (intended.status === 'rejected') throw intended.reason;
    const seq = intended.value;
    const forget = () => database.together(() => writes.forget(seq));
    if (staged.status === 'rejected') {
      await forget().catch(() => undefined);
      throw staged.reason;
    }
    probe('intended');
    const outcome = await swap(attempt, staged.value, seq, forget);
    if (outcome === 'done') {
      probe('recorded');
      await syncFolderSoon(staged.value.target);
      return resultOf(attempt, seq, stampOfStaged(staged.value));
    }
    await forget();
    return outcome === 'changed' ? soon(context) : unwanted(attempt);
  } finally {
    if (staged.status === 'fulfilled') dropStaged(staged.value);
  }
}

/** The rename and its record. A crash or a full disk between the two is mended by `recover` at the next reading. */
async function swap(
  attempt: Attempt,
  staged: Staged,
  seq: number,
  forget: () => Promise<void>,
): Promise<'done' | 'changed' | 'unwanted'> {
  let renamed: Renamed | null = null;
  try {
    return await attempt.context.database.together(() => {
      if (!renamed && attempt.change.stillWanted?.() === false) return 'unwanted';
      renamed ??= rename(attempt, staged);
      if (renamed === null) return 'changed';
      record(attempt, seq, renamed);
      return 'done';
    });
  } catch (error) {
    if (renamed) return 'done';
    await forget().catch(() => undefined);
    throw error;
  }
}

/**
 * A whole round inside one transaction. Entries with a key were intended before, by the first round. A program that saves
 * many times a second leaves no rest: then a text that may be half written is taken after all. What is still being written
 * goes into the old inode, and is merged from there.
 * @returns the result, or how many milliseconds to wait before another round
 */
async function changeBusyFile(
  context: WriteContext,
  path: string,
  change: InnerChange,
  round: number,
): Promise<ChangeResult | number> {
  const { room, effects, writes, database, git } = context;
  const restMs = round < ASK_GIT_ROUNDS ? REST_MS / 3 : 0;
  const result = await database.transactionSoon(() => {
    const isOurs = (hash: string) => writes.isOurs(path, hash);
    const look = readNow(room.at(path), { effects, isOurs, shownAs: path, restMs });
    if ('waitMs' in look) return look.waitMs;
    const read = textOf(look.read, path);
    const foreign = read.hash !== writes.lastHash(path) && !writes.recover(path, read.hash);
    // What git was not asked of is taken for a person's, unless something would be put back.
    const isGits = foreign ? git.known(path, read) : false;
    const whose = !foreign ? 'ours' : isGits ? 'git' : 'person';
    const attempt = attemptOf(context, path, change, read, whose, true);
    if (round < ASK_GIT_ROUNDS && isGits === undefined && attempt.plan.restoredCount > 0) return read;
    if (attempt.plan.text !== read.text)
      return change.stillWanted?.() === false ? unwanted(attempt) : writeBusy(attempt);
    recordPlan(attempt);
    return resultOf(attempt);
  });
  if (typeof result === 'number' || 'changed' in result) return result;
  if ('bytes' in result) {
    await git.isGits(path, result);
    return 0;
  }
  context.probe('recorded');
  syncFolder(result.target);
  return result.written;
}

function writeBusy(attempt: Attempt): { target: string; written: ChangeResult } | number {
  const { context, path, plan } = attempt;
  const bytes = toBytes(path, plan.text);
  if (plan.spill) appendOverflow(context.room, plan.spill);
  const staged = stageFile(context.room.at(path), bytes, context.effects);
  try {
    context.probe('intended');
    const renamed = rename(attempt, staged);
    if (renamed === null) return soon(context);
    const seq = intend(attempt, hashBytes(bytes));
    record(attempt, seq, renamed);
    return { target: staged.target, written: resultOf(attempt, seq, stampOfStaged(staged)) };
  } finally {
    dropStaged(staged);
  }
}
