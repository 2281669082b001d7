// Old inodes of files we replaced: each stays linked for a while after its write, so that what a program still saves
// into it is not lost. A row of `writes` names the link until the inode is settled.
import type { Database } from '../database.ts';
import { WRITES, type WriteRow } from './write-rows.ts';

export interface OldInode {
  /** The write that replaced it. */
  seq: number;
  atMs: number;
  path: string;
  task: string | null;
  /** Where it is linked: relative to the room, or absolute. */
  link: string;
  /** The text in it that is merged already: at first what the write was made on. */
  text: string;
}

function inodeOf({ seq, atMs, path, task, oldInode, oldText, base }: WriteRow): OldInode {
  return { seq, atMs, path, task, link: oldInode!, text: oldText ?? base ?? '' };
}

export function createOldInodesTable(db: Database) {
  const writes = WRITES.in(db);
  return {
    /** Those of writes made at or before `untilMs`, oldest first. */
    list: (untilMs: number, limit: number): OldInode[] =>
      writes
        .all(
          'WHERE old_inode IS NOT NULL AND at_ms <= ? ORDER BY at_ms, seq LIMIT ?',
          Math.trunc(untilMs),
          limit,
        )
        .map(inodeOf),
    get(seq: number): OldInode | null {
      const row = writes.first('WHERE seq = ? AND old_inode IS NOT NULL', seq);
      return row && inodeOf(row);
    },
    /** Records what of it is merged by now. */
    setText: (seq: number, oldText: string): void => void writes.update(seq, { oldText }),
    drop: (seq: number): void => void writes.update(seq, { oldInode: null, oldText: null }),
  };
}
