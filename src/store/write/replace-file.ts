// Replacing a file as one step that other programs see whole or not at all, and only while the file still holds
// what the caller read. The old inode stays linked for a moment, so that a program still writing into it is heard.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import { asIo, isOneOf } from '../room.ts';
import { syncAndClose, syncFolder } from './move-file.ts';
import { hashBytes } from './stable-read.ts';

/** What the caller read: the text's hash (see `hashBytes`) and the inode it stood in. */
export interface Expected {
  hash: string;
  ino: number;
}

export type Replaced =
  | {
      done: true;
      /** Absolute path of the link to the old inode; null for a new file or where links can't be made. */
      oldInode: string | null;
      /**
       * Epoch milliseconds: just before the last look at the file, and just after the rename. Their difference is
       * exact; where they lie is known as exactly as the wall clock, which counts whole milliseconds and rounds down.
       */
      windowStartMs: number;
      windowEndMs: number;
    }
  | { done: false; reason: 'changed' };

/** A new text on disk beside its target, fsynced, not yet in place. */
export interface Staged {
  readonly target: string;
  readonly temp: string;
  readonly stamp: FileStamp;
}

/** Leftovers of a crash are older than this; a live writer is done within milliseconds. */
const TEMP_AGE_MS = 60_000;
const TEMP_NAME = /^\..+\.[0-9a-f]{12}\.tmp$/;
const CHANGED = { done: false, reason: 'changed' } as const;

/**
 * Replaces `target` (a symlink's own target; the link stays) when it still is as `expected`; null creates it.
 * @param keepDir where the old inode is kept; null keeps none
 * @throws RoomError `io`; the file is then as it was and nothing is left beside it
 */
export function replaceFile(
  target: string,
  bytes: Uint8Array,
  expected: Expected | null,
  { keepDir, effects }: { keepDir: string | null; effects: Effects },
): Replaced {
  const staged = stageFile(target, bytes, effects);
  try {
    const result = swapIn(staged, expected, keepDir, effects);
    if (result.done) syncFolder(staged.target);
    return result;
  } finally {
    dropStaged(staged);
  }
}

/** Writes the new text beside its target, with the old one's mode and owner. Throws RoomError `io`. */
export function stageFile(path: string, bytes: Uint8Array, effects: Effects): Staged {
  const { staged, fd } = writeStaged(path, bytes, effects);
  try {
    fsyncSync(fd);
    return staged;
  } catch (error) {
    dropStaged(staged);
    throw asIo(error, staged.target);
  } finally {
    closeSync(fd);
  }
}

/** The same without standing still for the disk. */
export async function stageSoon(path: string, bytes: Uint8Array, effects: Effects): Promise<Staged> {
  const { staged, fd } = writeStaged(path, bytes, effects);
  try {
    await syncAndClose(fd, staged.target);
    return staged;
  } catch (error) {
    dropStaged(staged);
    throw error;
  }
}

/** A hidden file beside its target, which {@link cleanTemps} removes when a crash leaves it. */
function writeStaged(path: string, bytes: Uint8Array, effects: Effects): { staged: Staged; fd: number } {
  const target = resolveTarget(path);
  // A name may have 255 bytes; ours adds 18.
  const name = basename(target);
  const stem = Buffer.byteLength(name) <= 200 ? name : [...name].slice(0, 50).join('');
  const temp = join(dirname(target), `.${stem}.${randomName(effects, 6)}.tmp`);
  try {
    const old = statSync(target, { throwIfNoEntry: false });
    const fd = writeOpened(temp, bytes, old ?? null);
    return { staged: { target, temp, stamp: stampOf(fstatSync(fd)) }, fd };
  } catch (error) {
    rmSync(temp, { force: true });
    throw asIo(error, target);
  }
}

/** The stamp of what was staged and lies at its target now; null when somebody changed that since. */
export function stampOfStaged({ target, stamp }: Staged): FileStamp | null {
  const stat = statSync(target, { throwIfNoEntry: false });
  // The rename itself sets the time of change.
  return stat && sameStamp(stampOf(stat), { ...stamp, ctimeMs: stat.ctimeMs }) ? stampOf(stat) : null;
}

/** Removes what {@link stageFile} made, when it is still there. */
export function dropStaged(staged: Staged): void {
  rmSync(staged.temp, { force: true });
}

/** The step that must be alone: look, link, look again, rename. Throws RoomError `io`; the caller drops the staged file. */
export function swapIn(
  staged: Staged,
  expected: Expected | null,
  keepDir: string | null,
  effects: Effects,
): Replaced {
  try {
    return expected === null ? putNew(staged, effects) : putOver(staged, expected, keepDir, effects);
  } catch (error) {
    throw asIo(error, staged.target);
  }
}

/** Removes temp files a crash left in `dir`; returns how many. A folder that is gone holds none. */
export function cleanTemps(dir: string, nowMs: number): number {
  if (!existsSync(dir)) return 0;
  const left = readdirSync(dir)
    .filter((name) => TEMP_NAME.test(name))
    .map((name) => join(dir, name))
    .filter((path) => {
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat?.isFile() && nowMs - stat.mtimeMs >= TEMP_AGE_MS;
    });
  for (const path of left) rmSync(path, { force: true });
  return left.length;
}

/** Where a path leads. A link to a file that is no .md is never written through, whatever led to it. */
function resolveTarget(path: string): string {
  try {
    const target = realpathSync(path);
    if (target.endsWith('.md') || !lstatSync(path).isSymbolicLink()) return target;
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return path;
    throw asIo(error, path);
  }
  throw new RoomError('invalid_file', `${path} is a link to a file that is no .md`);
}

/** Returns the open file. */
function writeOpened(
  temp: string,
  bytes: Uint8Array,
  old: { mode: number; uid: number; gid: number } | null,
): number {
  const fd = openSync(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
    if (old) {
      if (process.getuid?.() === 0) fchownSync(fd, old.uid, old.gid);
      // After the owner: a change of owner clears the set-id bits.
      chmodSync(temp, old.mode & 0o7777);
    }
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function putNew({ temp, target }: Staged, effects: Effects): Replaced {
  const window = openWindow(effects);
  try {
    linkSync(temp, target);
  } catch (error) {
    if (isOneOf(error, 'EEXIST')) return CHANGED;
    if (!cannotLink(error)) throw error;
    if (lstatSync(target, { throwIfNoEntry: false })) return CHANGED;
    renameSync(temp, target);
  }
  return { done: true, oldInode: null, ...window() };
}

function putOver(staged: Staged, expected: Expected, keepDir: string | null, effects: Effects): Replaced {
  const { target, temp } = staged;
  // The link comes before the look: from here on nothing written into this inode can be lost.
  const oldInode = keepDir === null ? null : keepOld(target, keepDir, effects);
  let over = false;
  try {
    if (!holds(oldInode ?? target, expected)) return CHANGED;
    const window = openWindow(effects);
    if (lstatSync(target, { throwIfNoEntry: false })?.ino !== expected.ino) return CHANGED;
    renameSync(temp, target);
    over = true;
    return { done: true, oldInode, ...window() };
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return CHANGED;
    throw error;
  } finally {
    if (oldInode && !over) rmSync(oldInode, { force: true });
  }
}

function holds(path: string, expected: Expected): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.ino !== expected.ino || stat.size > MAX_FILE_BYTES) return false;
  return hashBytes(readFileSync(path)) === expected.hash;
}

/** Links the old inode into `keepDir`, or beside the target when that is another device; null when links can't be made. */
function keepOld(target: string, keepDir: string, effects: Effects): string | null {
  const name = `${randomName(effects, 8)}.kept`;
  mkdirSync(keepDir, { recursive: true });
  for (const path of [join(keepDir, name), join(dirname(target), `.${name}`)]) {
    try {
      linkSync(target, path);
      return path;
    } catch (error) {
      if (isOneOf(error, 'ENOENT') && !lstatSync(target, { throwIfNoEntry: false })) return null;
      if (!isOneOf(error, 'EXDEV', 'ENOENT') && !cannotLink(error)) throw error;
    }
  }
  return null;
}

function cannotLink(error: unknown): boolean {
  return isOneOf(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL');
}

function randomName(effects: Effects, size: number): string {
  return Buffer.from(effects.randomBytes(size)).toString('hex');
}

/** Starts a window; the function it returns ends it. */
function openWindow(effects: Effects): () => { windowStartMs: number; windowEndMs: number } {
  const windowStartMs = effects.now();
  const startedAt = effects.monotonicMs();
  return () => ({ windowStartMs, windowEndMs: windowStartMs + effects.monotonicMs() - startedAt });
}
