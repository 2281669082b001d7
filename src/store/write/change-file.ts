// One write from reading to rename. Two ledger transactions: the intention with the old text, before the file is
// touched; then look, rename and record as one, which no other process of ours can come between.
import { join } from 'node:path';
import { isRoomError, RoomError } from '../../core/errors.ts';
import { sleep } from '../../effects.ts';
import { appendSpill } from '../spill-file.ts';
import { changeBusyFile } from './change-busy-file.ts';
import { noteRestored } from './note-restored.ts';
import {
  dropStaged,
  type Expected,
  type Replaced,
  type Staged,
  stageFile,
  stageSoon,
  swapIn,
} from './replace-file.ts';
import { EMPTY_REST_MS, hashBytes, REST_MS, readStable, type StableText } from './stable-read.ts';
import { syncFolder, syncFolderSoon } from './sync-files.ts';
import type { Plan } from './write-plan.ts';
import {
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

// Rounds in which an unreadable text is doubted: together longer than a save takes.
const LAST_DOUBT = 4;

/**
 * A program that saves many times a second leaves no rest: then a text that may be half written is taken after all.
 * What is still being written goes into the old inode, and is merged from there.
 */
function restOf(round: number): number {
  return round < 10 ? REST_MS / 3 : 0;
}

async function tryChange(
  context: WriteContext,
  path: string,
  change: InnerChange,
): Promise<ChangeResult | 'changed'> {
  const { writes, transact } = context;
  const read = await readText(context, path);
  let foreign = read.hash !== writes.lastHash(path);
  if (foreign && writes.isIntended(path, read.hash))
    foreign = !(await transact(() => writes.recover(path, read.hash)));
  if (foreign) await noteRestored(context, path, read);
  const plan = await planWith(context, path, change, read, foreign);
  const result = { before: read.text, after: plan.text, restored: plan.restoredCount };
  if (plan.text === read.text) {
    if (change.record || plan.seen.length + plan.gone.length > 0)
      await transact(() => recordPlan(writes, plan, change));
    return { ...result, changed: false, seq: null };
  }
  const isWanted = change.stillWanted?.() !== false;
  const seq = isWanted ? await writePlan(context, path, read, plan, change) : 'unwanted';
  if (seq === 'unwanted')
    return { changed: false, before: read.text, after: read.text, restored: 0, seq: null };
  return seq === 'changed' ? 'changed' : { ...result, changed: true, seq };
}

/** Git is asked only where something would be put back. */
async function planWith(
  context: WriteContext,
  path: string,
  change: InnerChange,
  read: StableText,
  foreign: boolean,
): Promise<Plan> {
  const plan = planFor(context, path, change, read, foreign ? 'person' : 'ours', false);
  if (!foreign || plan.restoredCount === 0 || !(await context.git.isGits(path, read))) return plan;
  return planFor(context, path, change, read, 'git', false);
}

async function readText({ room, effects, writes }: WriteContext, path: string): Promise<StableText> {
  const isOurs = (hash: string) => writes.isOurs(path, hash);
  const read = await readStable(room.at(path), { effects, isOurs, shownAs: path, giveUpMs: PATIENCE_MS });
  return assertText(read, path);
}

type Outcome = number | 'changed' | 'unwanted';

async function writePlan(
  context: WriteContext,
  path: string,
  read: StableText,
  plan: Plan,
  change: InnerChange,
): Promise<Outcome> {
  const { room, effects, writes, transact } = context;
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
    if (sync.status === 'rejected') {
      await transact(() => writes.forget(seq)).catch(() => undefined);
      throw sync.reason;
    }
    context.probe('intended');
    const outcome = await swap(context, staged, read, plan, change, seq);
    if (outcome === 'done') {
      context.probe('recorded');
      if (isCrowded) await syncFolderSoon(staged.target);
      else syncFolder(staged.target);
      return seq;
    }
    await transact(() => writes.forget(seq));
    return outcome;
  } finally {
    dropStaged(staged);
  }
}

/** The rename and its record. A crash or a full disk between the two is mended by `recover` at the next reading. */
async function swap(
  context: WriteContext,
  staged: Staged,
  read: StableText,
  plan: Plan,
  change: InnerChange,
  seq: number,
): Promise<'done' | 'changed' | 'unwanted'> {
  const { room, effects, writes, transact, probe } = context;
  const expected: Expected = { hash: read.hash, ino: read.stat.ino };
  let renamed: (Replaced & { done: true }) | null = null;
  const body = (): 'done' | 'changed' | 'unwanted' => {
    if (!renamed) {
      if (change.stillWanted?.() === false) return 'unwanted';
      const replaced = swapIn(staged, expected, join(room.ownDir, 'keep'), effects);
      if (!replaced.done) return 'changed';
      renamed = replaced;
      probe('renamed');
    }
    confirm(context, seq, renamed);
    recordPlan(writes, plan, change);
    return 'done';
  };
  try {
    return await transact(body);
  } catch (error) {
    if (renamed) return 'done';
    await transact(() => writes.forget(seq)).catch(() => undefined);
    throw error;
  }
}
