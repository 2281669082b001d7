// Old inodes that stay linked after a write of ours: a program that was writing into one goes on unknowing, and what
// it wrote is merged into the file. A kept inode is looked at soon after the write and a last time when it is settled.
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, isAbsolute, join, relative, sep } from 'node:path';
import { isRoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { KeptInode, WritesTable } from '../ledger/writes.ts';
import type { Room } from '../room.ts';
import { reachesEnd } from './put-back.ts';
import { hashBytes, readStable } from './stable-read.ts';
import type { InnerChange, RunResult } from './write-steps.ts';

/** How long a program may go on writing into a file that we replaced. */
export const SETTLE_MS = 2_000;
const SOON_MS = 18;
// A link without a row is left by a crash; a live writer records it within milliseconds.
const ORPHAN_MS = 60_000;
const AT_ONCE = 100;

export interface KeeperOptions {
  room: Room;
  effects: Effects;
  writes: WritesTable;
  locked<T>(body: () => T): Promise<T>;
  run(path: string, change: InnerChange): Promise<RunResult>;
}

export interface Keeper {
  /** Looks into the old inode of a write once, in the background, after it had time to be written. */
  lookSoon(seq: number): void;
  settle(ageMs?: number): Promise<void>;
  /** Waits for the looks under way. */
  close(): Promise<void>;
}

/** A kept link's path as the ledger holds it: relative inside the room, so that a room may move. */
export function keptName(room: Room, absolute: string): string {
  const inside = relative(room.dir, absolute);
  return inside.startsWith('..') || isAbsolute(inside) ? absolute : inside.split(sep).join('/');
}

export function createKeeper(options: KeeperOptions): Keeper {
  const { room, effects, writes, locked } = options;
  const looks = new Set<Promise<void>>();
  let closed = false;

  const lookSoon = (seq: number): void => {
    if (closed) return;
    const job = look(seq)
      .catch((error: unknown) => {
        // The row stays: the next settling looks again, and reports what the disk says then.
        if (!isRoomError(error)) throw error;
      })
      .finally(() => looks.delete(job));
    looks.add(job);
  };
  const settleOne = (kept: KeptInode, last: boolean) => settleInode({ ...options, lookSoon }, kept, last);
  const look = async (seq: number): Promise<void> => {
    await sleep(effects, SOON_MS);
    const kept = writes.keptOf(seq);
    if (kept) await settleOne(kept, false);
  };

  return {
    lookSoon,
    async settle(ageMs = SETTLE_MS) {
      for (const kept of writes.kept(effects.now() - ageMs, AT_ONCE)) await settleOne(kept, true);
      if (ageMs === 0 || effects.randomBytes(1)[0]! % 64 === 0)
        await dropOrphans(room, effects.now(), writes, locked);
    },
    async close() {
      closed = true;
      while (looks.size > 0) await Promise.all(looks);
    },
  };
}

async function settleInode(
  options: KeeperOptions & Pick<Keeper, 'lookSoon'>,
  kept: KeptInode,
  last: boolean,
): Promise<void> {
  const { room, effects, writes, locked } = options;
  const link = isAbsolute(kept.kept) ? kept.kept : room.at(kept.kept);
  const known = hashBytes(Buffer.from(kept.text, 'utf8'));
  const read = await readStable(link, { effects, isOurs: (hash) => hash === known, shownAs: kept.path });
  const finish = async (): Promise<void> => {
    await locked(() => writes.dropKept(kept.seq));
    rmSync(link, { force: true });
  };
  if (read === null) return finish();
  if (!read.ok) return last ? toAttic(options, kept, link) : undefined;
  if (read.hash === known || isCutShort(kept.text, read.text)) return last ? finish() : undefined;
  // The last look takes a text as it is.
  if (!last && !reachesEnd(kept.text, read.text)) return;
  try {
    const merged = await options.run(kept.path, {
      actor: 'runtime',
      task: kept.task,
      incoming: { base: kept.text, text: read.text, savedAtMs: read.stat.mtimeMs },
      stillWanted: () => writes.keptOf(kept.seq)?.text === kept.text,
      record: () => writes.noteKept(kept.seq, read.text),
    });
    if (merged.seq !== null) options.lookSoon(merged.seq);
  } catch (error) {
    // Only a file that is gone, or is no text, will not take it another time either.
    if (!isRoomError(error, 'not_found') && !isRoomError(error, 'invalid_file')) throw error;
    if (!last) return;
    return toAttic(options, kept, link);
  }
  if (last) await finish();
}

/** Truncated and not written yet, or in the midst of it: that takes nothing away. */
function isCutShort(base: string, text: string): boolean {
  return base.startsWith(text);
}

/** What can't be merged (no text, or its file is gone) is moved where texts that lost are found. */
async function toAttic(
  { room, writes, locked }: KeeperOptions,
  kept: KeptInode,
  link: string,
): Promise<void> {
  mkdirSync(room.atticDir, { recursive: true });
  const name = `${kept.atMs}-${kept.seq}-${basename(kept.path)}`;
  try {
    renameSync(link, join(room.atticDir, name));
  } catch (error) {
    // Another process settled it, or it lies on another disk: there it stays, as a hidden file beside its task.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EXDEV') throw error;
  }
  await locked(() => writes.dropKept(kept.seq));
}

async function dropOrphans(
  room: Room,
  nowMs: number,
  writes: WritesTable,
  locked: KeeperOptions['locked'],
): Promise<void> {
  const dir = join(room.ownDir, 'keep');
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return;
  }
  const known = new Set(
    await locked(() => writes.kept(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).map((row) => row.kept)),
  );
  for (const name of names) {
    const path = join(dir, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Linking sets the change time, whatever the text's own time says.
    if (known.has(keptName(room, path)) || !stat?.isFile() || nowMs - stat.ctimeMs < ORPHAN_MS) continue;
    if (stat.nlink > 1 || stat.size === 0) rmSync(path, { force: true });
    else {
      mkdirSync(room.atticDir, { recursive: true });
      renameSync(path, join(room.atticDir, `${Math.trunc(stat.mtimeMs)}-${name}.md`));
    }
  }
}
