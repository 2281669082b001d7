// Old inodes that stay linked after a write of ours: a program that was writing into one goes on unknowing, and what
// it wrote is merged into the file. Each is looked at soon after the write and a last time when it is settled.
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { isRoomError } from '../../core/errors.ts';
import { MAX_NAME_BYTES, shortenName } from '../../core/task/file-name.ts';
import { type Effects, sleep } from '../../effects.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import type { OldInode, WritesTable } from '../ledger/writes/writes.ts';
import { type Room, roomPathOf } from '../room.ts';
import { reachesEnd } from './put-back.ts';
import { hashBytes, readStable } from './stable-read.ts';
import type { ChangeResult, InnerChange, Transact } from './write-steps.ts';

/** How long a program may go on writing into a file that we replaced. */
export const SETTLE_MS = 2_000;
const SOON_MS = 18;
// A link without a row is left by a crash; a live writer records it within milliseconds.
const ORPHAN_MS = 60_000;
const AT_ONCE = 100;
const LASTING = ['not_found', 'invalid_file', 'bug'] as const;

export interface OldInodesOptions {
  room: Room;
  effects: Effects;
  writes: WritesTable;
  transact: Transact;
  run(path: string, change: InnerChange): Promise<ChangeResult>;
}

export function createOldInodes(options: OldInodesOptions) {
  const { room, effects, writes, transact } = options;
  const looks = new Set<Promise<void>>();
  const closing = new AbortController();

  const lookSoon = (seq: number): void => {
    if (closing.signal.aborted) return;
    const job = look(seq)
      .catch((error: unknown) => {
        // The row stays: the next settling looks again, and reports what the disk says then.
        if (!isRoomError(error)) throw error;
      })
      .finally(() => looks.delete(job));
    looks.add(job);
  };
  const settleOne = (inode: OldInode, last: boolean) => settleInode({ ...options, lookSoon }, inode, last);
  const look = async (seq: number): Promise<void> => {
    await sleep(effects, SOON_MS, closing.signal);
    const inode = writes.oldInodes.get(seq);
    if (inode) await settleOne(inode, false);
  };
  const settleAll = async (ageMs: number): Promise<void> => {
    const settled: Settled[] = [];
    try {
      for (const inode of writes.oldInodes.list(effects.now() - ageMs, AT_ONCE)) {
        const one = await settleOne(inode, true);
        if (one) settled.push(one);
      }
    } finally {
      await letGo(options, settled);
    }
    if (ageMs === 0 || effects.randomBytes(1)[0]! % 64 === 0)
      await dropOrphans(room, effects.now(), writes, transact);
  };
  const settleTogether = shareCalls(() => settleAll(SETTLE_MS));

  return {
    /** Looks into the old inode of a write once, in the background, after it had time to be written. */
    lookSoon,
    /** Looks a last time into those of writes at least `ageMs` ago (2,000 when absent), and lets them go. */
    settle: (ageMs?: number) => (ageMs === undefined ? settleTogether() : settleAll(ageMs)),
    /** Takes the looks that are due soon at once, and waits for them; what comes later is seen by whoever settles. */
    async close() {
      closing.abort();
      while (looks.size > 0) await Promise.all(looks);
    },
  };
}

/** In one commit, however many they are; what was written since its last look stays for another. */
async function letGo({ writes, transact }: OldInodesOptions, settled: readonly Settled[]): Promise<void> {
  if (settled.length === 0) return;
  const still = await transact(() => {
    const same = settled.filter(isUnwritten);
    for (const { inode } of same) writes.oldInodes.drop(inode.seq);
    return same;
  });
  for (const { link } of still) rmSync(link, { force: true });
}

/** Many writes at once ask for the same: it is done once for all that come while it is under way. */
function shareCalls(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => {
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}

/** A link that may go: it holds nothing that is not in its file. */
interface Settled {
  inode: OldInode;
  link: string;
  /** As it was read; null when it was not there. */
  stamp: FileStamp | null;
}

function isUnwritten({ link, stamp }: Settled): boolean {
  const stat = lstatSync(link, { throwIfNoEntry: false });
  return stat === undefined || (stamp !== null && sameStamp(stampOf(stat), stamp));
}

/** @returns the link when it may go, after the last look alone */
async function settleInode(
  options: OldInodesOptions & { lookSoon(seq: number): void },
  inode: OldInode,
  last: boolean,
): Promise<Settled | null> {
  const { room, effects, writes } = options;
  const link = isAbsolute(inode.link) ? inode.link : room.at(inode.link);
  const known = hashBytes(Buffer.from(inode.text, 'utf8'));
  const read = await readStable(link, { effects, isOurs: (hash) => hash === known, shownAs: inode.path });
  if (read === null) return { inode, link, stamp: null };
  if (!read.ok) {
    if (last) await toAttic(options, inode, link);
    return null;
  }
  const settled = last ? { inode, link, stamp: read.stat } : null;
  if (read.hash === known || isCutShort(inode.text, read.text)) return settled;
  // The last look takes a text as it is.
  if (!last && !reachesEnd(inode.text, read.text)) return null;
  try {
    const merged = await options.run(inode.path, {
      actor: 'runtime',
      task: inode.task,
      incoming: { base: inode.text, text: read.text, savedAtMs: read.stat.mtimeMs },
      stillWanted: () => writes.oldInodes.get(inode.seq)?.text === inode.text,
      record: () => writes.oldInodes.setText(inode.seq, read.text),
    });
    if (merged.seq !== null) options.lookSoon(merged.seq);
  } catch (error) {
    // Only a file that is gone, is no text, or would be harmed by it, will not take it another time either.
    if (!LASTING.some((code) => isRoomError(error, code))) throw error;
    if (last) await toAttic(options, inode, link);
    return null;
  }
  return settled;
}

/** Truncated and not written yet, or in the midst of it: that takes nothing away. */
function isCutShort(base: string, text: string): boolean {
  return base.startsWith(text);
}

/** What can't be merged (no text, or its file is gone) is moved where texts that lost are found. */
async function toAttic(
  { room, writes, transact }: OldInodesOptions,
  inode: OldInode,
  link: string,
): Promise<void> {
  mkdirSync(room.atticDir, { recursive: true });
  const words = shortenName(basename(inode.path, '.md'), MAX_NAME_BYTES);
  const name = `${inode.atMs}-${inode.seq}-${words}.md`;
  try {
    renameSync(link, join(room.atticDir, name));
  } catch (error) {
    // Another process settled it, or it lies on another disk: there it stays, as a hidden file beside its task.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EXDEV') throw error;
  }
  await transact(() => writes.oldInodes.drop(inode.seq));
}

async function dropOrphans(
  room: Room,
  nowMs: number,
  writes: WritesTable,
  transact: Transact,
): Promise<void> {
  const dir = join(room.ownDir, 'keep');
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return;
  }
  const all = await transact(() => writes.oldInodes.list(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
  const known = new Set(all.map(({ link }) => link));
  for (const name of names) {
    const path = join(dir, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Linking sets the change time, whatever the text's own time says.
    if (known.has(roomPathOf(room, path)) || !stat?.isFile() || nowMs - stat.ctimeMs < ORPHAN_MS) continue;
    if (stat.nlink > 1 || stat.size === 0) rmSync(path, { force: true });
    else {
      mkdirSync(room.atticDir, { recursive: true });
      renameSync(path, join(room.atticDir, `${Math.trunc(stat.mtimeMs)}-${name}.md`));
    }
  }
}
