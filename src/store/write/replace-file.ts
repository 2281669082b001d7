// Replacing a file as one step that other programs see whole or not at all, only while the file still holds what the caller read,
// and so that it survives a power cut. The old inode stays linked for a moment: what a program still writes into it is not lost.
import fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { hasCode, RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import { asIo, onDisk } from '../room.ts';
import { hashBytes } from './stable-read.ts';

/** What the caller read: the text's hash (see `hashBytes`) and the inode it stood in. */
export type Expected = { hash: string; ino: number };

/** A file that was put in place; null where the file was not as expected. */
export type Replaced = {
  /** Absolute path of the link to the old inode; null for a new file or where links can't be made. */
  oldInode: string | null;
  /** Epoch milliseconds: just before the last look at the file, and just after the rename. Their difference is
   * exact; where they lie is known as exactly as the wall clock, which counts whole milliseconds and rounds down. */
  windowStartMs: number;
  windowEndMs: number;
} | null;

/** A new text beside its target, not yet in place. The caller flushes it, and drops it in any case. */
export interface Staged {
  readonly target: string;
  readonly temp: string;
  readonly stamp: FileStamp;
  readonly fd: number;
}

/** Leftovers of a crash are older than this; a live writer is done within milliseconds. */
const TEMP_AGE_MS = 60_000;
const TEMP_NAME = /^\..+\.[0-9a-f]{12}\.tmp$/;

/** Replaces `target` (a symlink's own target; the link stays) when it still is as `expected`; null creates it.
 * @returns whether it was replaced
 * @throws RoomError `io`; the file is then as it was and nothing is left beside it */
export function replaceFile(target: string, bytes: Uint8Array, expected: Expected | null, effects: Effects) {
  const staged = stageFile(target, bytes, effects);
  try {
    flushNow(staged);
    const isReplaced = swapIn(staged, expected, null, effects) !== null;
    if (isReplaced) syncFolder(staged.target);
    return isReplaced;
  } finally {
    dropStaged(staged);
  }
}

/** @throws RoomError `bad_input` for a text that is too large */
export function toBytes(path: string, text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  const hint = 'move long text into artifacts/ and link to it';
  throw new RoomError('bad_input', `${path} would be larger than 1 MiB`, hint);
}

/** Writes the new text into a hidden file beside its target, with the old one's mode and owner. {@link cleanTemps} removes it when a
 * crash leaves it. @throws RoomError `io` */
export function stageFile(path: string, bytes: Uint8Array, effects: Effects): Staged {
  const target = resolveTarget(path);
  // A name may have 255 bytes; ours adds 18.
  const name = basename(target);
  const stem = Buffer.byteLength(name) <= 200 ? name : [...name].slice(0, 50).join('');
  const temp = join(dirname(target), `.${stem}.${randomName(effects, 6)}.tmp`);
  let fd: number | null = null;
  try {
    const old = fs.statSync(target, { throwIfNoEntry: false });
    fd = fs.openSync(temp, 'wx', 0o666);
    if (old && process.getuid?.() === 0) fs.fchownSync(fd, old.uid, old.gid);
    fs.writeFileSync(fd, bytes);
    // After the owner and the text: either clears the set-id bits.
    if (old) fs.fchmodSync(fd, old.mode & 0o7777);
    return { target, temp, stamp: stampOf(fs.fstatSync(fd)), fd };
  } catch (error) {
    if (fd !== null) fs.closeSync(fd);
    fs.rmSync(temp, { force: true });
    throw asIo(error, target);
  }
}

/** The stamp of what was staged and lies at its target now; null when somebody changed that since. */
export function stampOfStaged({ target, stamp }: Staged): FileStamp | null {
  const stat = fs.statSync(target, { throwIfNoEntry: false });
  // The rename itself sets the time of change.
  return stat && sameStamp(stampOf(stat), { ...stamp, ctimeMs: stat.ctimeMs }) ? stampOf(stat) : null;
}

export function dropStaged({ temp, fd }: Staged): void {
  fs.closeSync(fd);
  fs.rmSync(temp, { force: true });
}

// Only the flush is worth another thread: the rest ends in the page cache.
const fsyncSoon = promisify(fs.fsync);

/** Waits until the staged text is on disk. @throws RoomError `io` */
export function flushNow({ target, fd }: Staged): void {
  onDisk(target, () => fs.fsyncSync(fd));
}

/** The same without blocking the event loop. */
export async function flushSoon({ target, fd }: Staged): Promise<void> {
  await fsyncSoon(fd).catch((error: unknown) => {
    throw asIo(error, target);
  });
}

/** Makes a rename in the target's folder survive a power cut. @throws RoomError `io` */
export function syncFolder(target: string): void {
  let fd: number | null = null;
  try {
    fd = fs.openSync(dirname(target), fs.constants.O_RDONLY);
    fs.fsyncSync(fd);
  } catch (error) {
    assertGrave(error, target);
  } finally {
    if (fd !== null) fs.closeSync(fd);
  }
}

/** By folder, the wait that begins when the event loop turns. */
const waits = new Map<string, Promise<void>>();

/** The same without blocking the event loop: renames of one turn of it are waited for together. */
export function syncFolderSoon(target: string): Promise<void> {
  const folder = dirname(target);
  const known = waits.get(folder);
  if (known !== undefined) return known;
  const wait = new Promise((resolve) => setImmediate(resolve)).then(async () => {
    waits.delete(folder);
    let fd: number | null = null;
    try {
      fd = fs.openSync(folder, fs.constants.O_RDONLY);
      await fsyncSoon(fd);
    } catch (error) {
      assertGrave(error, target);
    } finally {
      if (fd !== null) fs.closeSync(fd);
    }
  });
  waits.set(folder, wait);
  return wait;
}

/** Some systems (Windows, a few network ones) can't sync a folder; the file itself is synced. */
function assertGrave(error: unknown, target: string): void {
  if (!hasCode(error, 'EPERM', 'EISDIR', 'EACCES', 'EINVAL', 'ENOTSUP', 'ENOENT', 'EBADF'))
    throw asIo(error, target);
}

/** The step that must be alone: look, link, look again, rename. Throws RoomError `io`; the caller drops the staged file. */
export function swapIn(staged: Staged, expected: Expected | null, keepDir: string | null, effects: Effects) {
  try {
    return expected === null ? putNew(staged, effects) : putOver(staged, expected, keepDir, effects);
  } catch (error) {
    throw asIo(error, staged.target);
  }
}

/** Removes temp files a crash left in `dir`; returns how many. A folder that is gone holds none. */
export function cleanTemps(dir: string, nowMs: number): number {
  if (!fs.existsSync(dir)) return 0;
  const left = fs
    .readdirSync(dir)
    .filter((name) => TEMP_NAME.test(name))
    .map((name) => join(dir, name))
    .filter((path) => {
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      return stat?.isFile() && nowMs - stat.mtimeMs >= TEMP_AGE_MS;
    });
  for (const path of left) fs.rmSync(path, { force: true });
  return left.length;
}

/** Where a path leads. A link to a file that is no .md is never written through, whatever led to it. */
function resolveTarget(path: string): string {
  try {
    const target = fs.realpathSync(path);
    if (target.endsWith('.md') || !fs.lstatSync(path).isSymbolicLink()) return target;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return path;
    throw asIo(error, path);
  }
  throw new RoomError('invalid_file', `${path} is a link to a file that is no .md`);
}

function putNew({ temp, target }: Staged, effects: Effects): Replaced {
  const window = openWindow(effects);
  try {
    fs.linkSync(temp, target);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return null;
    if (!cannotLink(error)) throw error;
    if (fs.lstatSync(target, { throwIfNoEntry: false })) return null;
    fs.renameSync(temp, target);
  }
  return { oldInode: null, ...window() };
}

function putOver(staged: Staged, expected: Expected, keepDir: string | null, effects: Effects): Replaced {
  const { target, temp } = staged;
  // The link comes before the look: from here on nothing written into this inode can be lost.
  const oldInode = keepDir === null ? null : keepOld(target, keepDir, effects);
  let over = false;
  try {
    const kept = oldInode ?? target;
    const stat = fs.statSync(kept, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.ino !== expected.ino || stat.size > MAX_FILE_BYTES) return null;
    if (hashBytes(fs.readFileSync(kept)) !== expected.hash) return null;
    const window = openWindow(effects);
    if (fs.lstatSync(target, { throwIfNoEntry: false })?.ino !== expected.ino) return null;
    fs.renameSync(temp, target);
    over = true;
    return { oldInode, ...window() };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  } finally {
    if (oldInode && !over) fs.rmSync(oldInode, { force: true });
  }
}

/** Links the old inode into `keepDir`, or beside the target when that is another device; null when links can't be made. */
function keepOld(target: string, keepDir: string, effects: Effects): string | null {
  const name = `${randomName(effects, 8)}.kept`;
  fs.mkdirSync(keepDir, { recursive: true });
  for (const path of [join(keepDir, name), join(dirname(target), `.${name}`)]) {
    try {
      fs.linkSync(target, path);
      return path;
    } catch (error) {
      if (hasCode(error, 'ENOENT') && !fs.lstatSync(target, { throwIfNoEntry: false })) return null;
      if (!hasCode(error, 'EXDEV', 'ENOENT') && !cannotLink(error)) throw error;
    }
  }
  return null;
}

const cannotLink = (error: unknown): boolean =>
  hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL');

const randomName = (effects: Effects, size: number): string =>
  Buffer.from(effects.randomBytes(size)).toString('hex');

function openWindow(effects: Effects): () => { windowStartMs: number; windowEndMs: number } {
  const windowStartMs = effects.now();
  const startedAt = effects.monotonicMs();
  return () => ({ windowStartMs, windowEndMs: windowStartMs + effects.monotonicMs() - startedAt });
}
