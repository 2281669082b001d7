// Of the writes on record those that the person made, and the person's deletions: what may be taken back.
import { WRITES, type WriteRow, writes } from './writes.ts';

const KEEP_MS = 30 * 86_400_000;
const MOST_KEPT = 1000;

export interface PersonsWrite extends Pick<WriteRow, 'seq' | 'path' | 'task' | 'afterHash' | 'command'> {
  base: string | null; // The text before it; null for a file that it made or deleted.
  trashed: string | null; // Where the file lies that it deleted or archived.
}

// Of a deleted file the hash is empty, and its place in the trash stands where a merged text would.
const toWrite = ({ seq, path, task, afterHash, command, base, oldText }: WriteRow): PersonsWrite => ({
  ...{ seq, path, task, afterHash, command, base },
  trashed: afterHash === '' ? oldText : null,
});

const LIST = `WHERE actor = 'person' AND done IS NOT NULL AND (base IS NOT NULL OR before_hash = '' OR after_hash = '')
  ORDER BY seq DESC`;
const TOO_MANY = `WHERE actor = 'person' AND old_inode IS NULL AND seq <=
  (SELECT seq FROM writes WHERE actor = 'person' ORDER BY seq DESC LIMIT 1 OFFSET ${MOST_KEPT})`;

export const personsWrites = WRITES.with((rows, db) => ({
  list: (): PersonsWrite[] => rows.all(LIST).map(toWrite), // Newest first.
  /** It is not offered again, and no entry that it made is put back. */
  undone(seq: number): void {
    rows.update(seq, { actor: 'undone' });
    db.run('UPDATE entries SET gone = 1 WHERE write_seq = ?', seq);
  },
  /** @param trashed where the file lies now */
  deleted(write: Pick<WriteRow, 'atMs' | 'path' | 'task' | 'command'>, trashed: string): void {
    const seq = rows.insert({ ...write, actor: 'person', beforeHash: 'deleted', afterHash: '', base: null });
    rows.update(seq, { oldText: trashed });
    writes.open(db).confirm(seq);
  },
  prune(nowMs: number): void {
    rows.deleteAll("WHERE actor = 'person' AND at_ms < ? AND old_inode IS NULL", nowMs - KEEP_MS);
    rows.deleteAll(TOO_MANY);
  },
}));
