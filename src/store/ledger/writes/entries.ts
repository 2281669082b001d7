// Entries and ids the runtime put into task files, with the exact words. A row with a key outlives its write, so
// that the same key written again finds it, also after a crash.
import type { SectionName } from '../../../core/task/body/sections.ts';
import type { Database, Row } from '../database.ts';

/** Rows without a key are of use while a stale buffer may still be saved. */
export const KEEP_WRITES_MS = 15 * 60_000;
// Keys belong to turns, and a turn's records are kept for 30 days.
const KEEP_KEYS_MS = 30 * 86_400_000;

export interface NewEntry {
  atMs: number;
  path: string;
  task: string | null;
  /** Unique in the room; null for an entry that is not repeated. */
  key: string | null;
  /** 'id' for an id that was given, 'typed' for a person's text that was merged in, 'done' for a change by its key. */
  section: SectionName | 'id' | 'typed' | 'done';
  /** The words; for 'typed' the whole text after the merge. */
  block: string;
}

export interface EntryRow extends NewEntry {
  seq: number;
  writeSeq: number | null;
  /** True once it stood in the file. */
  written: boolean;
  restoredAtMs: number | null;
  /** True when it was taken out for good. */
  gone: boolean;
}

export interface EntriesTable {
  /** Records the intention of `entry` with the write `writeSeq`; one with a known key joins that write. */
  intend(entry: NewEntry, writeSeq: number): void;
  byKey(key: string): EntryRow | null;
  /** Written entries of a file, oldest first: those of its path and of its task. */
  recent(path: string, task: string | null, sinceMs: number): EntryRow[];
  /** Texts that were merged in since then, oldest first, at most the last eight: each holds a whole file. */
  merged(path: string, task: string | null, sinceMs: number): EntryRow[];
  setWritten(writeSeq: number): void;
  setSeen(seq: number): void;
  setRestored(seqs: readonly number[], atMs: number): void;
  setGone(seqs: readonly number[], gone: boolean): void;
  forget(writeSeq: number): void;
  /** Takes back what was intended by this key. */
  forgetKey(key: string): void;
  prune(nowMs: number): void;
}

function toEntry(row: Row): EntryRow {
  return {
    seq: Number(row.seq),
    writeSeq: row.write_seq === null ? null : Number(row.write_seq),
    atMs: Number(row.at),
    path: row.path as string,
    task: row.task as string | null,
    key: row.key as string | null,
    section: row.section as EntryRow['section'],
    block: row.block as string,
    written: row.written === 1,
    restoredAtMs: row.restored_at === null ? null : Number(row.restored_at),
    gone: row.gone === 1,
  };
}

export function createEntriesTable(db: Database): EntriesTable {
  const each = (sql: string, seqs: readonly number[], ...before: number[]): void => {
    for (const seq of seqs) db.prepare(sql).run(...before, seq);
  };
  return {
    intend({ atMs, path, task, key, section, block }, writeSeq) {
      const sql = `INSERT INTO entries(write_seq, at, task, path, key, section, block) VALUES(?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(key) WHERE key IS NOT NULL DO UPDATE SET write_seq = excluded.write_seq, at = excluded.at`;
      db.prepare(sql).run(writeSeq, Math.trunc(atMs), task, path, key, section, block);
    },
    byKey(key) {
      const row = db.prepare('SELECT * FROM entries WHERE key = ?').get(key) as Row | undefined;
      return row ? toEntry(row) : null;
    },
    recent(path, task, sinceMs) {
      const sql = `SELECT * FROM entries WHERE path = ?1 AND written = 1 AND at >= ?2 AND section NOT IN ('typed', 'done')
        UNION SELECT * FROM entries WHERE task = ?3 AND written = 1 AND at >= ?2 AND section NOT IN ('typed', 'done') ORDER BY seq`;
      return (db.prepare(sql).all(path, Math.trunc(sinceMs), task) as Row[]).map(toEntry);
    },
    merged(path, task, sinceMs) {
      const sql = `SELECT * FROM entries WHERE path = ?1 AND section = 'typed' AND written = 1 AND at >= ?2
        UNION SELECT * FROM entries WHERE task = ?3 AND section = 'typed' AND written = 1 AND at >= ?2
        ORDER BY seq DESC LIMIT 8`;
      return (db.prepare(sql).all(path, Math.trunc(sinceMs), task) as Row[]).map(toEntry).reverse();
    },
    setWritten: (writeSeq) =>
      void db.prepare('UPDATE entries SET written = 1 WHERE write_seq = ?').run(writeSeq),
    setSeen: (seq) => void db.prepare('UPDATE entries SET written = 1 WHERE seq = ?').run(seq),
    setRestored: (seqs, atMs) =>
      each('UPDATE entries SET restored_at = ? WHERE seq = ?', seqs, Math.trunc(atMs)),
    setGone: (seqs, gone) => each('UPDATE entries SET gone = ? WHERE seq = ?', seqs, Number(gone)),
    forget(writeSeq) {
      db.prepare('DELETE FROM entries WHERE write_seq = ? AND written = 0 AND key IS NULL').run(writeSeq);
    },
    forgetKey: (key) => void db.prepare('DELETE FROM entries WHERE key = ? AND written = 0').run(key),
    prune(nowMs) {
      db.prepare('DELETE FROM entries WHERE key IS NULL AND at < ?').run(Math.trunc(nowMs - KEEP_WRITES_MS));
      db.prepare('DELETE FROM entries WHERE at < ?').run(Math.trunc(nowMs - KEEP_KEYS_MS));
    },
  };
}
