// What every way of writing a task file shares: its types, and the steps from a reading to a recorded plan.

import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import type { Spill } from '../../core/task/spill.ts';
import type { Effects } from '../../effects.ts';
import type { VersionsTable } from '../ledger/mirrors/outbox.ts';
import type { FileStamp } from '../ledger/tasks/files.ts';
import type { WritesTable } from '../ledger/writes/writes.ts';
import { type Room, roomPathOf } from '../room.ts';
import type { GitSaves } from './git-save.ts';
import type { Replaced } from './replace-file.ts';
import type { StableRead, StableText } from './stable-read.ts';
import { type Change, type Foreign, type Incoming, type Plan, planWrite } from './write-plan.ts';

/** Intention recorded, file renamed, all recorded. */
export type WritePoint = 'intended' | 'renamed' | 'recorded';

export interface WriteContext {
  room: Room;
  effects: Effects;
  writes: WritesTable;
  versions: VersionsTable;
  /** In a commit that all share who ask for one at the same moment, while files are written in a crowd. */
  transact: Transact;
  transactAlone: Transact;
  /** Whether several files are being written: then what waits for the disk waits together, and nobody stands still for it. */
  isCrowded(): boolean;
  probe: (point: WritePoint) => void;
  git: GitSaves;
}

/** A change with what our own merges need beside it. */
export interface InnerChange extends Change {
  incoming?: Incoming;
  /** Checked together with the rename: false drops the write. */
  stillWanted?: () => boolean;
  /** Recorded together with the rename, or alone when the text is already as wanted. */
  record?: () => void;
}

export interface ChangeResult {
  changed: boolean;
  before: string;
  after: string;
  restored: number;
  /** The write's row, null when nothing was written. */
  seq: number | null;
  /** Of the file with the new text; null when nothing was written, or somebody changed it since. */
  stamp: FileStamp | null;
}

export function assertText(read: StableRead | null, path: string): StableText {
  if (read === null) throw new RoomError('not_found', `${path} is gone`);
  if (!read.ok) throw new RoomError('invalid_file', `${path} can't be changed`, { problems: read.problems });
  return read;
}

export function planFor(
  { writes, effects }: WriteContext,
  path: string,
  change: InnerChange,
  read: StableText,
  foreign: Foreign,
  quick: boolean,
): Plan {
  return planWrite({
    path,
    change,
    writes,
    foreign,
    quick,
    text: read.text,
    savedAtMs: read.stat.mtimeMs,
    incoming: change.incoming ?? null,
    nowMs: effects.now(),
  });
}

export function toBytes(path: string, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  throw new RoomError('bad_input', `${path} would be larger than 1 MiB`, {
    hint: 'move long text into artifacts/ and link to it',
  });
}

/** Records what is about to be written, with the old text; returns the write's row. */
export function intend(
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

/** Records that the file was renamed into place; in the same transaction. */
export function confirm(
  { room, writes }: WriteContext,
  seq: number,
  replaced: Replaced & { done: true },
): void {
  const { oldInode } = replaced;
  writes.confirm(seq, { ...replaced, oldInode: oldInode && roomPathOf(room, oldInode) });
}

/** Records what the plan did to entries; together with the rename. */
export function recordPlan(writes: WritesTable, plan: Plan, change: InnerChange): void {
  for (const seq of plan.seen) writes.entries.setSeen(seq);
  writes.entries.setRestored(plan.restored, plan.atMs);
  writes.entries.setGone(plan.gone, true);
  writes.entries.setGone(plan.back, false);
  change.record?.();
}

/** Runs `body` in one transaction. Rejects with RoomError `locked` when others keep the ledger busy for 30 s. */
export type Transact = <T>(body: () => T) => Promise<T>;

// The files in .taskroom/spill: old entries that left their task's file, appended before they leave it.

const GAP = '\n\n';

/**
 * Appends the blocks, durably. What the file's end already holds of them, because the write that followed the
 * last append came to nothing, is not appended again.
 * @throws RoomError `io`
 */
export function appendSpill(room: Room, spill: Spill): void {
  const path = room.at(spill.path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const fd = openSync(path, 'a+');
    try {
      const more = missingPart(fd, spill.blocks);
      if (more.length > 0) writeSync(fd, more.map((block) => block + GAP).join(''));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new RoomError('io', `can't write ${spill.path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The blocks without the longest run of first ones that the file ends with. */
function missingPart(fd: number, blocks: readonly string[]): readonly string[] {
  const whole = blocks.join(GAP) + GAP;
  const size = fstatSync(fd).size;
  const tail = Buffer.alloc(Math.min(size, Buffer.byteLength(whole)));
  readSync(fd, tail, 0, tail.length, size - tail.length);
  const end = tail.toString('utf8');
  let length = whole.length;
  for (let count = blocks.length; count > 0; count -= 1) {
    if (end.endsWith(whole.slice(0, length))) return blocks.slice(count);
    length -= blocks[count - 1]!.length + GAP.length;
  }
  return blocks;
}
