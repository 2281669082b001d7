// Writing while somebody saves all the time: reading, planning and renaming inside one ledger transaction, so that of
// all programs only the person's can come between, and for a few milliseconds. Entries with a key were intended before.
import { join } from 'node:path';
import { appendSpill } from '../spill-file.ts';
import { dropStaged, stageFile, swapIn, syncFolder } from './replace-file.ts';
import { hashBytes, readNow } from './stable-read.ts';
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

/**
 * A whole round inside one transaction: while many of ours want to write, only the person's saves can come between.
 * @returns the result, 'changed', or how many milliseconds to wait for rest
 */
export async function changeBusyFile(
  context: WriteContext,
  path: string,
  change: InnerChange,
  restMs: number,
): Promise<ChangeResult | 'changed' | number> {
  const { room, effects, writes, transact, probe } = context;
  let target: string | null = null;
  const result = await transact((): ChangeResult | 'changed' | number => {
    const isOurs = (hash: string) => writes.isOurs(path, hash);
    const look = readNow(room.at(path), { effects, isOurs, shownAs: path, restMs });
    if ('waitMs' in look) return look.waitMs;
    const read = assertText(look.read, path);
    const foreign = read.hash !== writes.lastHash(path) && !writes.recover(path, read.hash);
    const plan = planFor(context, path, change, read, foreign, true);
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
