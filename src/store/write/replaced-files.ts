// Files that we replaced and that stay linked for a moment: a program that was writing into one goes on unknowing, and what
// it wrote is merged into the file in its place. Each is looked at soon after the write and a last time when it is settled.
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { hasCode, isRoomError } from '../../core/errors.ts';
import { MAX_NAME_BYTES, shortenName } from '../../core/task/names.ts';
import { sleep } from '../../effects.ts';
import { type FileStamp, sameStamp, stampOf } from '../ledger/tasks/files.ts';
import type { ReplacedFile } from '../ledger/writes/writes.ts';
import { type Room, roomPathOf } from '../room.ts';
import type { ChangeResult, WriteContext } from './change-file.ts';
import { hashBytes, reachesEnd, readStable } from './stable-read.ts';
import type { InnerChange } from './write-plan.ts';

const SETTLE_MS = 2_000; // How long a program may go on writing into a file that we replaced.
const SOON_MS = 18;
// A link without a row is left by a crash; a live writer records it within milliseconds.
const ORPHAN_MS = 60_000;
const AT_ONCE = 100;

interface Options extends Pick<WriteContext, 'room' | 'effects' | 'database' | 'writes'> {
  /** Changes a file, and looks soon into what that replaces. */
  write(path: string, change: InnerChange): Promise<ChangeResult>;
}

export function createReplacedFiles(options: Options) {
  const { room, effects, database, writes } = options;
  const looks = new Set<Promise<void>>();
  const closing = new AbortController();
  let settling: Promise<void> | null = null;

  const lookSoon = (seq: number): void => {
    if (closing.signal.aborted) return;
    const job = sleep(effects, SOON_MS, closing.signal)
      .then(async () => {
        const file = writes.replaced.get(seq);
        if (file) await takeIn(options, file, false);
      })
      .catch((error: unknown) => {
        // The row stays: the next settling looks again, and reports what the disk says then.
        if (!isRoomError(error)) throw error;
      })
      .finally(() => looks.delete(job));
    looks.add(job);
  };
  const settleAll = async (ageMs: number): Promise<void> => {
    const settled: Settled[] = [];
    try {
      for (const file of writes.replaced.list(effects.now() - ageMs, AT_ONCE)) {
        const one = await takeIn(options, file, true);
        if (one) settled.push(one);
      }
    } finally {
      if (settled.length > 0) await letGo(options, settled);
    }
    if (ageMs > 0 && effects.randomBytes(1)[0]! % 64 !== 0) return;
    const { MAX_SAFE_INTEGER } = Number;
    const all = await database.together(() => writes.replaced.list(MAX_SAFE_INTEGER, MAX_SAFE_INTEGER));
    dropOrphans(room, effects.now(), new Set(all.map(({ link }) => link)));
  };

  return {
    /** Looks once into the file that a write replaced, in the background, after it had time to be written. */
    lookSoon,
    /** Looks a last time into files that writes at least `ageMs` ago (2,000 when absent) replaced, merges what a program
     * wrote into one since into the file in its place, and lets them go. */
    settle(ageMs?: number): Promise<void> {
      if (ageMs !== undefined) return settleAll(ageMs);
      // Many writes at once ask for the same.
      settling ??= settleAll(SETTLE_MS).finally(() => {
        settling = null;
      });
      return settling;
    },
    /** Takes the looks that are due soon at once, and waits for them; what comes later is seen by whoever settles. */
    async close() {
      closing.abort();
      while (looks.size > 0) await Promise.all(looks);
    },
  };
}

/** A link that may go: it holds nothing that is not in its file. */
interface Settled {
  file: ReplacedFile;
  link: string;
  stamp: FileStamp | null; // As it was read; null when it was not there.
}

/** In one commit; a file that was written since its last look stays for another. */
async function letGo({ database, writes }: Options, settled: readonly Settled[]): Promise<void> {
  const still = await database.together(() => {
    const same = settled.filter(({ link, stamp }) => {
      const stat = lstatSync(link, { throwIfNoEntry: false });
      return stat === undefined || (stamp !== null && sameStamp(stampOf(stat), stamp));
    });
    for (const { file } of same) writes.replaced.drop(file.seq);
    return same;
  });
  for (const { link } of still) rmSync(link, { force: true });
}

/** Merges what was written into a replaced file. @returns the link when it may go, after the last look alone */
async function takeIn(options: Options, file: ReplacedFile, isLast: boolean): Promise<Settled | null> {
  const { room, effects, writes } = options;
  const { path, task, text: base } = file;
  const link = isAbsolute(file.link) ? file.link : room.at(file.link);
  const known = hashBytes(Buffer.from(base, 'utf8'));
  const read = await readStable(link, { effects, isOurs: (hash) => hash === known, shownAs: path });
  if (read === null) return { file, link, stamp: null };
  const settled = isLast ? { file, link, stamp: read.stat } : null;
  try {
    if (read.ok) {
      const { text, stat } = read;
      // Truncated and not written yet, or in the midst of it: that takes nothing away.
      if (read.hash === known || base.startsWith(text)) return settled;
      // The last look takes a text as it is.
      if (!isLast && !reachesEnd(base, text)) return null;
      await options.write(path, {
        actor: 'runtime',
        task,
        incoming: { base, text, savedAtMs: stat.mtimeMs },
        stillWanted: () => writes.replaced.get(file.seq)?.text === base,
        record: () => writes.replaced.setText(file.seq, text),
      });
      return settled;
    }
  } catch (error) {
    // Only a file that is gone, is no text, or would be harmed by it, will not take it another time either.
    if (!(['not_found', 'invalid_file', 'bug'] as const).some((code) => isRoomError(error, code)))
      throw error;
  }
  if (isLast) await toTrash(options, file, link);
  return null;
}

/** What can't be merged (no text, or its file is gone) is moved where texts that lost are found. */
async function toTrash({ room, database, writes }: Options, file: ReplacedFile, link: string): Promise<void> {
  const words = shortenName(basename(file.path, '.md'), MAX_NAME_BYTES);
  mkdirSync(room.trashDir, { recursive: true });
  try {
    renameSync(link, join(room.trashDir, `${file.atMs}-${file.seq}-${words}.md`));
  } catch (error) {
    // Another process settled it, or it lies on another disk: there it stays, as a hidden file beside its task.
    if (!hasCode(error, 'ENOENT', 'EXDEV')) throw error;
  }
  await database.together(() => writes.replaced.drop(file.seq));
}

function dropOrphans(room: Room, nowMs: number, known: ReadonlySet<string>): void {
  const dir = join(room.ownDir, 'keep');
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const path = join(dir, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // Linking sets the change time, whatever the text's own time says.
    if (known.has(roomPathOf(room, path)) || !stat?.isFile() || nowMs - stat.ctimeMs < ORPHAN_MS) continue;
    if (stat.nlink > 1 || stat.size === 0) rmSync(path, { force: true });
    else {
      mkdirSync(room.trashDir, { recursive: true });
      renameSync(path, join(room.trashDir, `${Math.trunc(stat.mtimeMs)}-${name}.md`));
    }
  }
}
