// One change of a file from reading to rename. In its first round in two ledger transactions: the intention with the old
// text, before the file is touched; then look, rename and record as one. While somebody saves all the time, a whole round is
// one transaction, so that of all programs only the person's can come between, and for a few milliseconds.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { idOf } from '../../core/merge/lost-entries.ts';
import { sleep } from '../../effects.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import { syncFolder, syncFolderSoon } from './move-file.ts';
import {
  dropStaged,
  type Replaced,
  type Staged,
  stageFile,
  stageSoon,
  stampOfStaged,
  swapIn,
} from './replace-file.ts';
import { EMPTY_REST_MS, hashBytes, REST_MS, readNow, readStable, type StableText } from './stable-read.ts';
import type { Plan } from './write-plan.ts';
import {
  appendSpill,
  assertText,
  type ChangeResult,
  confirm,
  type InnerChange,
  intend,
  planFor,
  recordPlan,
  toBytes,
  type WriteContext,
} from './write-steps.ts';

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
        ? tryChange(context, path, change)
        : changeBusyFile(context, path, change, restOf(round), round < ASK_GIT_ROUNDS));
      if (typeof result === 'object' && 'askGit' in result) {
        await context.git.isGits(path, result.askGit);
        continue;
      }
      if (typeof result === 'object') return result;
      // Not at once: others wait for the ledger too.
      await sleep(effects, result === 'changed' ? 1 + (effects.randomBytes(1)[0]! % 8) : result);
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

/**
 * A program that saves many times a second leaves no rest: then a text that may be half written is taken after all.
 * What is still being written goes into the old inode, and is merged from there.
 */
function restOf(round: number): number {
  return round < 10 ? REST_MS / 3 : 0;
}

interface Attempt {
  context: WriteContext;
  path: string;
  change: InnerChange;
  read: StableText;
  plan: Plan;
}

function resultOf({ read, plan }: Attempt, seq: number | null, stamp: FileStamp | null): ChangeResult {
  const { text: after, restoredCount: restored } = plan;
  return { before: read.text, after, restored, changed: seq !== null, seq, stamp };
}

function unwanted({ read }: Attempt): ChangeResult {
  return { before: read.text, after: read.text, restored: 0, changed: false, seq: null, stamp: null };
}

function givenText(path: string, { read }: InnerChange): StableText | null {
  const stat = read && statSync(path, { throwIfNoEntry: false });
  return stat && sameStamp(stampOf(stat), read.stat) ? { ...read, ok: true, unstable: false } : null;
}

async function tryChange(
  context: WriteContext,
  path: string,
  change: InnerChange,
): Promise<ChangeResult | 'changed'> {
  const { room, effects, writes, transact, git } = context;
  const isOurs = (hash: string) => writes.isOurs(path, hash);
  const options = { effects, isOurs, shownAs: path, giveUpMs: PATIENCE_MS };
  const read = givenText(room.at(path), change) ?? assertText(await readStable(room.at(path), options), path);
  let foreign = read.hash !== writes.lastHash(path);
  if (foreign && writes.isIntended(path, read.hash))
    foreign = !(await transact(() => writes.recover(path, read.hash)));
  if (foreign) await noteRestored(context, path, read);
  let plan = planFor(context, path, change, read, foreign ? 'person' : 'ours', read.unstable);
  // Git is asked only where something would be put back.
  if (foreign && plan.restoredCount > 0 && (await git.isGits(path, read)))
    plan = planFor(context, path, change, read, 'git', read.unstable);
  const attempt = { context, path, change, read, plan };
  if (plan.text === read.text) {
    if (change.record || plan.seen.length + plan.gone.length > 0)
      await transact(() => recordPlan(writes, plan, change));
    return resultOf(attempt, null, null);
  }
  return change.stillWanted?.() === false ? unwanted(attempt) : writePlan(attempt);
}

/**
 * Notes that somebody made a mirrored file an earlier version of itself again, before anything is put back into it: what
 * upstream said since then is not undone by that.
 * @param read a text that we did not write
 */
async function noteRestored(context: WriteContext, path: string, read: StableText): Promise<void> {
  const { versions, git, transact } = context;
  const task = idOf(read.text) || null;
  const undone = task === null ? [] : versions.undone(task, read.hash);
  if (task === null || undone.length === 0) return;
  // No editor saves with a time before that of a version it replaces; who copies a backup back often does.
  const isOlder = read.stat.mtimeMs < (versions.savedAt(task) ?? 0);
  const proved = isOlder || (await git.isGits(path, read));
  await transact(() => versions.setRestored(task, { text: read.text, undone, proved }));
}

async function writePlan(attempt: Attempt): Promise<ChangeResult | 'changed'> {
  const { context, path, plan, read, change } = attempt;
  const { room, effects, writes, transact, probe } = context;
  const bytes = toBytes(path, plan.text);
  if (plan.spill) appendSpill(room, plan.spill);
  const isCrowded = context.isCrowded();
  const { staged, synced } = isCrowded
    ? stageSoon(room.at(path), bytes, effects)
    : { staged: stageFile(room.at(path), bytes, effects), synced: null };
  try {
    // Both are on disk before the file is touched, in whichever order.
    const [intended, sync] = await Promise.allSettled([
      transact(() => intend(context, path, read, plan, change, hashBytes(bytes))),
      synced,
    ]);
    if (intended.status === 'rejected') throw intended.reason;
    const seq = intended.value;
    const forget = () => transact(() => writes.forget(seq));
    if (sync.status === 'rejected') {
      await forget().catch(() => undefined);
      throw sync.reason;
    }
    probe('intended');
    const outcome = await swap(attempt, staged, seq, forget);
    if (outcome === 'done') {
      probe('recorded');
      if (isCrowded) await syncFolderSoon(staged.target);
      else syncFolder(staged.target);
      return resultOf(attempt, seq, stampOfStaged(staged));
    }
    await forget();
    return outcome === 'changed' ? 'changed' : unwanted(attempt);
  } finally {
    dropStaged(staged);
  }
}

/** The rename and its record. A crash or a full disk between the two is mended by `recover` at the next reading. */
async function swap(
  attempt: Attempt,
  staged: Staged,
  seq: number,
  forget: () => Promise<void>,
): Promise<'done' | 'changed' | 'unwanted'> {
  const { context, change } = attempt;
  let renamed: Renamed | null = null;
  try {
    return await context.transact(() => {
      if (!renamed && change.stillWanted?.() === false) return 'unwanted';
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

type Renamed = Replaced & { done: true };

/** Null when the file is not as it was read any more. */
function rename({ context, read }: Attempt, staged: Staged): Renamed | null {
  const { room, effects, probe } = context;
  const expected = { hash: read.hash, ino: read.stat.ino };
  const replaced = swapIn(staged, expected, join(room.ownDir, 'keep'), effects);
  if (!replaced.done) return null;
  probe('renamed');
  return replaced;
}

function record({ context, plan, change }: Attempt, seq: number, renamed: Renamed): void {
  confirm(context, seq, renamed);
  recordPlan(context.writes, plan, change);
}

/**
 * A whole round inside one transaction. Entries with a key were intended before, by the first round.
 * @param asksGit false takes what git was not asked of yet for a person's
 * @returns the result, 'changed', how many milliseconds to wait for rest, or the text that git must be asked about first
 */
async function changeBusyFile(
  context: WriteContext,
  path: string,
  change: InnerChange,
  restMs: number,
  asksGit: boolean,
): Promise<ChangeResult | 'changed' | number | { askGit: StableText }> {
  const { room, effects, writes, transactAlone, probe, git } = context;
  const result = await transactAlone(() => {
    const isOurs = (hash: string) => writes.isOurs(path, hash);
    const look = readNow(room.at(path), { effects, isOurs, shownAs: path, restMs });
    if ('waitMs' in look) return look.waitMs;
    const read = assertText(look.read, path);
    const foreign = read.hash !== writes.lastHash(path) && !writes.recover(path, read.hash);
    const isGits = foreign ? git.known(path, read) : false;
    const whose = !foreign ? 'ours' : isGits ? 'git' : 'person';
    const plan = planFor(context, path, change, read, whose, true);
    if (asksGit && isGits === undefined && plan.restoredCount > 0) return { askGit: read };
    const attempt = { context, path, change, read, plan };
    if (plan.text === read.text) {
      recordPlan(writes, plan, change);
      return resultOf(attempt, null, null);
    }
    return change.stillWanted?.() === false ? unwanted(attempt) : writeBusy(attempt);
  });
  if (typeof result !== 'object' || !('target' in result)) return result;
  probe('recorded');
  syncFolder(result.target);
  return result.written;
}

function writeBusy(attempt: Attempt): 'changed' | { target: string; written: ChangeResult } {
  const { context, path, change, plan, read } = attempt;
  const bytes = toBytes(path, plan.text);
  if (plan.spill) appendSpill(context.room, plan.spill);
  const staged = stageFile(context.room.at(path), bytes, context.effects);
  try {
    context.probe('intended');
    const renamed = rename(attempt, staged);
    if (renamed === null) return 'changed';
    const seq = intend(context, path, read, plan, change, hashBytes(bytes));
    record(attempt, seq, renamed);
    return { target: staged.target, written: resultOf(attempt, seq, stampOfStaged(staged)) };
  } finally {
    dropStaged(staged);
  }
}
