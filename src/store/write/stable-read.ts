// Reading a file that any program may be writing at this moment: what is handed out was whole and at rest, or is
// marked unstable. Never opens what is no regular file, never reads more than a task file may hold.
import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { decodeDocument, MAX_FILE_BYTES } from '../../core/document/document.ts';
import { type Problem, RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import { asIo } from '../room.ts';

/** Quiet time after which a foreign write counts as finished: above the tick of file times, below what is felt. */
export const REST_MS = 15;
/** Editors truncate and then write: a file that is empty, or ends within a character, is likely about to be filled. */
export const EMPTY_REST_MS = 100;
/** After this much change without rest the caller gets what there is, marked unstable. */
export const GIVE_UP_MS = 2_000;

export interface StableText {
  ok: true;
  bytes: Uint8Array;
  text: string;
  stat: FileStamp;
  hash: string;
  unstable: boolean;
}

/** A file whose bytes are no text we take: a folder, a pipe, more than 1 MiB, invalid UTF-8, a NUL byte. */
interface StableRefusal extends Pick<StableText, 'stat' | 'unstable'> {
  ok: false;
  problems: Problem[];
  hash: string; // Of the bytes; of size and mtime where they were not read.
}

export type StableRead = StableText | StableRefusal;

interface StableOptions {
  effects: Effects;
  /** True for the hash of a text we wrote ourselves: by rename, so it is whole and needs no rest. */
  isOurs(hash: string): boolean;
  /** Rest asked of a foreign text, {@link REST_MS} when absent. */
  restMs?: number;
  /** How long to wait for rest, {@link GIVE_UP_MS} when absent. */
  giveUpMs?: number;
  shownAs?: string; // The path as problems name it; the path itself when absent.
  signal?: AbortSignal;
}

/** First 32 hex digits of the SHA-256 of the bytes. */
export const hashBytes = (bytes: Uint8Array): string => hash('sha256', bytes).slice(0, 32);

/** Reads `path` (symlinks followed) once it is at rest; null when nothing is there.
 * @throws RoomError `io` when the disk refuses, `interrupted` when `signal` aborts */
export async function readStable(path: string, options: StableOptions): Promise<StableRead | null> {
  const { effects, signal } = options;
  const giveUpAt = effects.monotonicMs() + (options.giveUpMs ?? GIVE_UP_MS);
  let watched: { snapshot: Snapshot; sinceMs: number } | null = null;
  for (;;) {
    if (signal?.aborted) throw new RoomError('interrupted', `reading ${options.shownAs ?? path} was stopped`);
    const snapshot = takeSnapshot(path);
    if (snapshot === null) return null;
    const nowMs = effects.monotonicMs();
    if (!watched || !sameContent(watched.snapshot, snapshot)) watched = { snapshot, sinceMs: nowMs };
    const waitMs = restMissing(snapshot, nowMs - watched.sinceMs, options);
    if (waitMs <= 0 || nowMs >= giveUpAt) return toRead(snapshot, waitMs > 0, options.shownAs ?? path);
    await sleep(effects, Math.min(waitMs, Math.max(1, giveUpAt - nowMs)), signal);
  }
}

export function isStillAs(path: string, stamp: FileStamp): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && sameStamp(stampOf(stat), stamp);
}

/** @throws RoomError `not_found`, `invalid_file` */
export function assertText(read: StableRead | null, path: string): StableText {
  if (read === null) throw new RoomError('not_found', `${path} is gone`);
  if (!read.ok) throw new RoomError('invalid_file', `${path} can't be changed`, { problems: read.problems });
  return read;
}

/** One look without waiting: what is there (null for nothing), or how long to wait before it may be at rest. */
export function readNow(path: string, options: StableOptions) {
  const snapshot = takeSnapshot(path);
  if (snapshot === null) return { read: null };
  const waitMs = restMissing(snapshot, 0, options);
  return waitMs > 0 ? { waitMs } : { read: toRead(snapshot, false, options.shownAs ?? path) };
}

/** One look that takes the file as it is, at rest or not; null when nothing is there. Throws RoomError `io`. */
export function readOnce(path: string, shownAs: string): StableRead | null {
  const snapshot = takeSnapshot(path);
  return snapshot && toRead(snapshot, !snapshot.whole, shownAs);
}

interface Snapshot {
  stat: FileStamp;
  bytes: Uint8Array | null;
  hash: string;
  refusal: string | null;
  whole: boolean;
}

// What is wrong with this one file, and not with the disk or with us.
const REFUSALS: Readonly<Record<string, string>> = {
  EACCES: "can't be read: permission denied",
  EPERM: "can't be read: operation not permitted",
  ELOOP: 'is a symlink that leads back to itself',
  ENAMETOOLONG: 'is a symlink to a name that is too long',
  EIO: "can't be read: the disk reports an error",
};

function takeSnapshot(path: string): Snapshot | null {
  try {
    const before = statSync(path, { throwIfNoEntry: false });
    if (!before) return danglingLink(path);
    const refusal = refusalOf(before);
    if (refusal) return unread(before, refusal);
    const bytes = readRegular(path);
    if (bytes === null) return unread(before, 'is not a regular file');
    const after = statSync(path, { throwIfNoEntry: false });
    if (!after) return null;
    const stat = stampOf(after);
    const whole = sameStamp(stampOf(before), stat) && bytes.length === stat.size;
    return { stat, bytes, hash: hashBytes(bytes), refusal: null, whole };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    const refusal = REFUSALS[code ?? ''];
    const stat = refusal === undefined ? undefined : lstatSync(path, { throwIfNoEntry: false });
    if (refusal && stat) return unread(stat, refusal);
    throw asIo(error, path, 'read');
  }
}

function danglingLink(path: string): Snapshot | null {
  const link = lstatSync(path, { throwIfNoEntry: false });
  return link?.isSymbolicLink() ? unread(link, 'is a symlink to nothing') : null;
}

function refusalOf(stat: Stats): string | null {
  if (stat.isDirectory()) return 'is a folder';
  if (!stat.isFile()) return 'is not a regular file';
  const mebibytes = (stat.size / MAX_FILE_BYTES).toFixed(1);
  return stat.size > MAX_FILE_BYTES ? `is larger than 1 MiB (${mebibytes} MiB)` : null;
}

function unread(stat: Stats, refusal: string): Snapshot {
  const hash = hashBytes(Buffer.from(`${stat.size} ${stat.mtimeMs} ${refusal}`));
  return { stat: stampOf(stat), bytes: null, hash, refusal, whole: true };
}

/** The bytes, one more than the limit at most; null when the path turned into something else since the stat. */
function readRegular(path: string): Uint8Array | null {
  // O_NONBLOCK: a pipe that took the file's place must not hold us.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const buffer = Buffer.allocUnsafe(Math.min(stat.size, MAX_FILE_BYTES) + 1);
    let length = 0;
    while (length < buffer.length) {
      const count = readSync(fd, buffer, length, buffer.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

function sameContent(a: Snapshot, b: Snapshot): boolean {
  // Not ctime: a hard link made by another of our processes changes it and nothing else.
  return a.hash === b.hash && a.stat.ino === b.stat.ino && a.stat.mtimeMs === b.stat.mtimeMs;
}

/** Milliseconds until the snapshot may be taken as whole; 0 when it may. */
function restMissing(snapshot: Snapshot, unchangedMs: number, options: StableOptions): number {
  const { effects, isOurs } = options;
  if (snapshot.bytes === null) return 0;
  if (!snapshot.whole) return 2;
  if (snapshot.bytes.length > 0 && isOurs(snapshot.hash)) return 0;
  const cut = snapshot.bytes.length === 0 || !decodeDocument(snapshot.bytes, '').ok;
  const restMs = cut ? EMPTY_REST_MS : (options.restMs ?? REST_MS);
  // A file time ahead of our clock gives a negative age: then only watching it counts.
  const ageMs = effects.now() - snapshot.stat.mtimeMs;
  return Math.min(restMs - unchangedMs, ageMs >= 0 ? restMs - ageMs : restMs);
}

function toRead({ stat, hash, bytes, refusal }: Snapshot, unstable: boolean, shown: string): StableRead {
  const message = `${shown} ${refusal}`;
  const expected = 'a text file of at most 1 MiB that this user may read';
  const decoded = bytes && decodeDocument(bytes, shown);
  if (decoded?.ok) return { ok: true, bytes: bytes!, text: decoded.text, stat, hash, unstable };
  const problems = decoded?.problems ?? [{ path: shown, line: 1, col: 1, message, expected }];
  return { ok: false, problems, stat, hash, unstable };
}

/** False for a text without the last line of `base`: it may be half written, and then nothing was deleted from it. */
export function reachesEnd(base: string | null, text: string): boolean {
  const end = base?.split(/\r?\n/).findLast((line) => line.trim() !== '');
  return end === undefined || text.includes(end);
}
