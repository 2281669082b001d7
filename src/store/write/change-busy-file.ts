// Writing while somebody saves all the time: reading, planning and renaming inside one ledger transaction, so that of
// all programs only the person's can come between, and for a few milliseconds. Entries with a key were intended before.
import { join } from 'node:path';
import { appendSpill } from '../spill-file.ts';
import { dropStaged, stageFile, swapIn } from './replace-file.ts';
import { hashBytes, readNow, type StableText } from './stable-read.ts';
import { syncFolder } from './sync-files.ts';
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

type BusyResult = ChangeResult | 'changed' | number | { askGit: StableText };

/**
 * A whole round inside one transaction: while many of ours want to write, only the person's saves can come between.
 * @param asksGit false takes what git was not asked of yet for a person's
 * @returns the result, 'changed', how many milliseconds to wait for rest, or the text that git must be asked about first
 */
export async function changeBusyFile(
  context: WriteContext,
  path: string,
  change: InnerChange,
  restMs: number,
  asksGit: boolean,
): Promise<BusyResult> {
  const { room, effects, writes, transactAlone, probe, git } = context;
  let target: string | null = null;
  const result = await transactAlone((): BusyResult => {
    const isOurs = (hash: string) => writes.isOurs(path, hash);
    const look = readNow(room.at(path), { effects, isOurs, shownAs: path, restMs });
    if ('waitMs' in look) return look.waitMs;
    const read = assertText(look.read, path);
    const foreign = read.hash !== writes.lastHash(path) && !writes.recover(path, read.hash);
    const isGits = foreign ? git.known(path, read) : false;
    const whose = !foreign ? 'ours' : isGits ? 'git' : 'person';
    const plan = planFor(context, path, change, read, whose, true);
    if (asksGit && isGits === undefined && plan.restoredCount > 0) return { askGit: read };
    const answer = {
      before: read.text,
      after: plan.text,
      restored: plan.restoredCount,
      changed: false,
      seq: null,
    };
    if (plan.text === read.text) {
      recordPlan(writes, plan, change);
      return answer;
    }
    if (change.stillWanted?.() === false) return { ...answer, after: read.text, restored: 0 };
    const bytes = toBytes(path, plan.text);
    if (plan.spill) appendSpill(room, plan.spill);
    const staged = stageFile(room.at(path), bytes, effects);
    try {
      probe('intended');
      const expected = { hash: read.hash, ino: read.stat.ino };
      const replaced = swapIn(staged, expected, join(room.ownDir, 'keep'), effects);
      if (!replaced.done) return 'changed';
      target = staged.target;
      probe('renamed');
      const seq = intend(context, path, read, plan, change, hashBytes(bytes));
      confirm(context, seq, replaced);
      recordPlan(writes, plan, change);
      return { ...answer, changed: true, seq };
    } finally {
      dropStaged(staged);
    }
  });
  if (target === null) return result;
  probe('recorded');
  syncFolder(target);
  return result;
}
