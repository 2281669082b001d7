// One attempt to change a file: what was read, what is planned of it, and the steps that each way of writing shares.
import { join } from 'node:path';
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import type { Database } from '../ledger/database.ts';
import type { VersionsTable } from '../ledger/mirrors/outbox.ts';
import type { FileStamp } from '../ledger/tasks/files.ts';
import type { WritesTable } from '../ledger/writes/writes.ts';
import { type Room, roomPathOf } from '../room.ts';
import type { GitSaves } from './git-save.ts';
import { type Replaced, type Staged, swapIn } from './replace-file.ts';
import type { StableRead, StableText } from './stable-read.ts';
import { type Foreign, type InnerChange, type Plan, planWrite } from './write-plan.ts';

/** Intention recorded, file renamed, all recorded. */
export type WritePoint = 'intended' | 'renamed' | 'recorded';

export interface WriteContext {
  room: Room;
  effects: Effects;
  database: Database;
  writes: WritesTable;
  versions: VersionsTable;
  git: GitSaves;
  probe: (point: WritePoint) => void;
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

export interface Attempt {
  context: WriteContext;
  path: string;
  change: InnerChange;
  read: StableText;
  plan: Plan;
}

export function attemptOf(
  context: WriteContext,
  path: string,
  change: InnerChange,
  read: StableText,
  foreign: Foreign,
  quick: boolean,
): Attempt {
  const { writes, effects } = context;
  const { text, stat } = read;
  const nowMs = effects.now();
  const plan = planWrite({ path, change, writes, foreign, quick, text, savedAtMs: stat.mtimeMs, nowMs });
  return { context, path, change, read, plan };
}

export function resultOf(
  { read, plan: { text: after, restoredCount: restored } }: Attempt,
  seq: number | null = null,
  stamp: FileStamp | null = null,
): ChangeResult {
  return { before: read.text, after, restored, changed: seq !== null, seq, stamp };
}

/** The write came to nothing, because nobody wants it any more. */
export function unwanted({ read }: Attempt): ChangeResult {
  return { before: read.text, after: read.text, restored: 0, changed: false, seq: null, stamp: null };
}

export function textOf(read: StableRead | null, path: string): StableText {
  if (read === null) throw new RoomError('not_found', `${path} is gone`);
  if (!read.ok) throw new RoomError('invalid_file', `${path} can't be changed`, { problems: read.problems });
  return read;
}

export function toBytes(path: string, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  throw new RoomError('bad_input', `${path} would be larger than 1 MiB`, {
    hint: 'move long text into artifacts/ and link to it',
  });
}

export type Renamed = Replaced & { done: true };

/** Null when the file is not as it was read any more. */
export function rename({ context, read }: Attempt, staged: Staged): Renamed | null {
  const { room, effects, probe } = context;
  const expected = { hash: read.hash, ino: read.stat.ino };
  const replaced = swapIn(staged, expected, join(room.ownDir, 'keep'), effects);
  if (!replaced.done) return null;
  probe('renamed');
  return replaced;
}

/** Records what is about to be written, with the old text; returns the write's row. */
export function intend({ context, path, change, read, plan }: Attempt, afterHash: string): number {
  const { effects, writes } = context;
  const { actor, task } = change;
  const before = { beforeHash: read.hash, base: read.text };
  const seq = writes.intend({ atMs: effects.now(), path, task, actor, ...before, afterHash });
  for (const entry of plan.entries) writes.entries.intend(entry, seq);
  return seq;
}

/** Records that the file was renamed into place; in the same transaction. */
export function record(attempt: Attempt, seq: number, renamed: Renamed): void {
  const { room, writes } = attempt.context;
  const { oldInode } = renamed;
  writes.confirm(seq, { ...renamed, oldInode: oldInode && roomPathOf(room, oldInode) });
  recordPlan(attempt);
}

/** Records what the plan did to entries; together with the rename. */
export function recordPlan({ context: { writes }, plan, change }: Attempt): void {
  for (const seq of plan.seen) writes.entries.setSeen(seq);
  writes.entries.setRestored(plan.restored, plan.atMs);
  writes.entries.setGone(plan.gone, true);
  writes.entries.setGone(plan.back, false);
  change.record?.();
}
