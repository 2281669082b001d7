// One write from reading to rename. Two ledger transactions: the intention with the old text, before the file is
// touched; then look, rename and record as one, which no other process of ours can come between.
import { join } from 'node:path';
import { MAX_FILE_BYTES } from '../core/document.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import type { Effects } from '../effects.ts';
import {
  dropStaged,
  type Expected,
  type Replaced,
  type Staged,
  stageFile,
  swapIn,
  syncFolder,
} from './atomic.ts';
import { keptName } from './kept.ts';
import type { WritesTable } from './ledger/writes.ts';
import type { Room } from './room.ts';
import { appendSpill } from './spill-file.ts';
import { EMPTY_REST_MS, hashBytes, REST_MS, readStable, type StableText } from './stable-read.ts';
import { type Change, type Incoming, type Plan, planWrite } from './write-plan.ts';

/** Intention recorded, file renamed, all recorded. */
export type WritePoint = 'intended' | 'renamed' | 'recorded';

export interface WriteContext {
  room: Room;
  effects: Effects;
  writes: WritesTable;
  /** Runs `body` in a ledger transaction, waiting for other processes without blocking the event loop. */
  locked<T>(body: () => T): Promise<T>;
  probe: (point: WritePoint) => void;
}

/** A change with what our own merges need beside it. */
export interface InnerChange extends Change {
  incoming?: Incoming;
  /** Checked together with the rename: false drops the write. */
  stillWanted?: () => boolean;
  /** Recorded together with the rename, or alone when the text is already as wanted. */
  record?: () => void;
}

export interface RunResult {
  changed: boolean;
  before: string;
  after: string;
  restored: number;
  /** The write's row, null when nothing was written. */
  seq: number | null;
}

// Twelve writers and an editor on one file need some rounds; this many mean that something saves without end.
const MAX_ROUNDS = 500;
const LAST_DOUBT = 50;
// Longer than any one save takes; a file without rest for so long is saved over and over.
const RUSH_MS = 150;

/** Carries a change out, again on each newer text, until the file held still for the moment of the rename. */
export async function runChange(
  context: WriteContext,
  path: string,
  change: InnerChange,
): Promise<RunResult> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    try {
      const result = await tryChange(context, path, change, restOf(round));
      if (result !== 'changed') return result;
    } catch (error) {
      if (!isRoomError(error, 'invalid_file') || round >= LAST_DOUBT) throw error;
      // Half of a front matter can't be read either: with more rest it is what was meant.
      const result = await tryChange(context, path, change, EMPTY_REST_MS);
      if (result !== 'changed') return result;
    }
  }
  throw new RoomError('conflict', `${path} is being changed without end`, {
    hint: 'see which program saves it over and over',
    retryAfterMs: 1_000,
  });
}

async function tryChange(
  context: WriteContext,
  path: string,
  change: InnerChange,
  restMs: number,
): Promise<RunResult | 'changed'> {
  const { writes, effects, locked } = context;
  const read = await readText(context, path, restMs);
  let foreign = read.hash !== writes.lastHash(path);
  if (foreign && writes.isIntended(path, read.hash))
    foreign = !(await locked(() => writes.recover(path, read.hash)));
  const plan = planWrite({
    path,
    change,
    writes,
    foreign,
    text: read.text,
    savedAtMs: read.stat.mtimeMs,
    incoming: change.incoming ?? null,
    quick: restMs !== REST_MS,
    nowMs: effects.now(),
  });
  const result = { before: read.text, after: plan.text, restored: plan.restoredCount };
  if (plan.text === read.text) {
    if (change.record || plan.seen.length > 0) await locked(() => recordPlan(writes, plan, change));
    return { ...result, changed: false, seq: null };
  }
  const seq = await writePlan(context, path, read, plan, change);
  if (seq === 'unwanted')
    return { changed: false, before: read.text, after: read.text, restored: 0, seq: null };
  return seq === 'changed' ? 'changed' : { ...result, changed: true, seq };
}

async function readText(
  { room, effects, writes }: WriteContext,
  path: string,
  restMs: number,
): Promise<StableText> {
  const isOurs = (hash: string) => writes.isOurs(path, hash);
  const read = await readStable(room.at(path), { effects, isOurs, shownAs: path, restMs, giveUpMs: RUSH_MS });
  if (read === null) throw new RoomError('not_found', `${path} is gone`);
  if (!read.ok) throw new RoomError('invalid_file', `${path} can't be changed`, { problems: read.problems });
  return read;
}

/**
 * A program that saves many times a second leaves no rest: then a text that may be half written is taken after all.
 * What is still being written goes into the old inode, and is merged from there.
 */
function restOf(round: number): number {
  if (round < 2) return REST_MS;
  return round < 5 ? REST_MS / 3 : 1;
}

function recordPlan(writes: WritesTable, plan: Plan, change: InnerChange): void {
  for (const seq of plan.seen) writes.entries.setSeen(seq);
  writes.entries.setRestored(plan.restored, plan.atMs);
  writes.entries.setGone(plan.gone, true);
  writes.entries.setGone(plan.back, false);
  change.record?.();
}

type Outcome = number | 'changed' | 'unwanted';

async function writePlan(
  context: WriteContext,
  path: string,
  read: StableText,
  plan: Plan,
  change: InnerChange,
): Promise<Outcome> {
  const { room, writes, locked } = context;
  const bytes = toBytes(path, plan.text);
  if (plan.spill) appendSpill(room, plan.spill);
  const staged = stageFile(room.at(path), bytes);
  try {
    const seq = await locked(() => intend(context, path, read, plan, change, hashBytes(bytes)));
    context.probe('intended');
    const outcome = await swap(context, staged, read, plan, change, seq);
    if (outcome === 'done') {
      context.probe('recorded');
      syncFolder(staged.target);
      return seq;
    }
    await locked(() => writes.forget(seq));
    return outcome;
  } finally {
    dropStaged(staged);
  }
}

function toBytes(path: string, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  throw new RoomError('bad_input', `${path} would be larger than 1 MiB`, {
    hint: 'move long text into artifacts/ and link to it',
  });
}

function intend(
  { effects, writes }: WriteContext,
  path: string,
  read: StableText,
  plan: Plan,
  change: Change,
  afterHash: string,
): number {
  const { actor, task } = change;
  const seq = writes.intend({
    atMs: effects.now(),
    path,
    task,
    actor,
    beforeHash: read.hash,
    afterHash,
    base: read.text,
  });
  for (const entry of plan.entries) writes.entries.intend(entry, seq);
  return seq;
}

/** The rename and its record. A crash or a full disk between the two is mended by `recover` at the next reading. */
async function swap(
  { room, writes, locked, probe }: WriteContext,
  staged: Staged,
  read: StableText,
  plan: Plan,
  change: InnerChange,
  seq: number,
): Promise<'done' | 'changed' | 'unwanted'> {
  const expected: Expected = { hash: read.hash, ino: read.stat.ino };
  let renamed: (Replaced & { done: true }) | null = null;
  const body = (): 'done' | 'changed' | 'unwanted' => {
    if (!renamed) {
      if (change.stillWanted?.() === false) return 'unwanted';
      const replaced = swapIn(staged, expected, join(room.ownDir, 'keep'));
      if (!replaced.done) return 'changed';
      renamed = replaced;
      probe('renamed');
    }
    writes.confirm(seq, { ...renamed, kept: renamed.kept && keptName(room, renamed.kept) });
    recordPlan(writes, plan, change);
    return 'done';
  };
  try {
    return await locked(body);
  } catch (error) {
    if (renamed) return 'done';
    await locked(() => writes.forget(seq)).catch(() => undefined);
    throw error;
  }
}

/** Creates a file that is not there yet. Throws RoomError `conflict` when it is. */
export async function createFile(
  context: WriteContext,
  path: string,
  text: string,
  by: { actor: string; task: string | null },
): Promise<void> {
  const { room, effects, writes, locked } = context;
  const bytes = toBytes(path, text);
  const staged = stageFile(room.at(path), bytes);
  try {
    const write = {
      atMs: effects.now(),
      path,
      ...by,
      beforeHash: '',
      afterHash: hashBytes(bytes),
      base: null,
    };
    const seq = await locked(() => writes.intend(write));
    const created = await locked(() => {
      const result = swapIn(staged, null, null);
      if (result.done) writes.confirm(seq, result);
      return result.done;
    });
    if (created) return syncFolder(staged.target);
    await locked(() => writes.forget(seq));
    throw new RoomError('conflict', `${path} exists already`);
  } finally {
    dropStaged(staged);
  }
}
