// Entries and ids the runtime put into task files, with the exact words. A row with a key outlives its write, so
// that the same key written again finds it, also after a crash.
import type { SectionName } from '../../../core/task/body/sections.ts';
import type { Database } from '../database.ts';
import { flag, initially, integer, optional, type RowOf, sequence, table, text } from '../table.ts';

/** Rows without a key are of use while a stale buffer may still be saved. */
export const KEEP_WRITES_MS = 15 * 60_000;
// Keys belong to turns, and a turn's records are kept for 30 days.
const KEEP_KEYS_MS = 30 * 86_400_000;

export const ENTRIES = table(
  'entries',
  {
    seq: sequence(),
    writeSeq: optional(integer()),
    atMs: integer(),
    task: optional(text()),
    path: text(),
    /** Unique in the room; null for an entry that is not repeated. */
    key: optional(text()),
    /** 'id' for an id that was given, 'typed' for a person's text that was merged in, 'done' for a change by its key. */
    section: text<SectionName | 'id' | 'typed' | 'done'>(),
    /** The words; for 'typed' the whole text after the merge. */
    block: text(),
    /** True once it stood in the file. */
    written: initially(flag(), false),
    restoredAtMs: optional(integer()),
    /** True when it was taken out for good. */
    gone: initially(flag(), false),
  },
  {
    indexes: {
      entries_by_key: 'UNIQUE (key) WHERE key IS NOT NULL',
      entries_by_path: '(path, at_ms)',
      entries_by_task: '(task, at_ms) WHERE task IS NOT NULL',
      entries_by_write: '(write_seq) WHERE write_seq IS NOT NULL',
    },
  },
);

export type EntryRow = RowOf<typeof ENTRIES>;
export type NewEntry = Pick<EntryRow, 'atMs' | 'path' | 'task' | 'key' | 'section' | 'block'>;

const SELECT = `SELECT ${ENTRIES.columns('entries')} FROM entries`;
const OF_FILE = (is: string) =>
  `${SELECT} WHERE path = ?1 AND ${is} AND written = 1 AND at_ms >= ?2
  UNION ${SELECT} WHERE task = ?3 AND ${is} AND written = 1 AND at_ms >= ?2 ORDER BY seq`;
const RECENT = OF_FILE("section NOT IN ('typed', 'done')");
const MERGED = `${OF_FILE("section = 'typed'")} DESC LIMIT 8`;

export function createEntriesTable(db: Database) {
  const entries = ENTRIES.in(db);
  const ofFile = (sql: string, path: string, task: string | null, sinceMs: number): EntryRow[] =>
    db
      .prepare(sql)
      .all(path, Math.trunc(sinceMs), task)
      .map((row) => ENTRIES.read(row));
  return {
    /** Records the intention of `entry` with the write `writeSeq`; one with a known key joins that write. */
    intend({ atMs, path, task, key, section, block }: NewEntry, writeSeq: number): void {
      const known = key === null ? null : entries.first('WHERE key = ?', key);
      if (known !== null) entries.update(known.seq, { writeSeq, atMs });
      else entries.insert({ writeSeq, atMs, task, path, key, section, block });
    },
    byKey: (key: string) => entries.first('WHERE key = ?', key),
    /** Written entries of a file, oldest first: those of its path and of its task. */
    recent: (path: string, task: string | null, sinceMs: number) => ofFile(RECENT, path, task, sinceMs),
    /** Texts that were merged in since then, oldest first, at most the last eight: each holds a whole file. */
    merged: (path: string, task: string | null, sinceMs: number) =>
      ofFile(MERGED, path, task, sinceMs).reverse(),
    setWritten(writeSeq: number): void {
      db.prepare('UPDATE entries SET written = 1 WHERE write_seq = ?').run(writeSeq);
    },
    setSeen: (seq: number): void => void entries.update(seq, { written: true }),
    setRestored(seqs: readonly number[], restoredAtMs: number): void {
      for (const seq of seqs) entries.update(seq, { restoredAtMs });
    },
    setGone(seqs: readonly number[], gone: boolean): void {
      for (const seq of seqs) entries.update(seq, { gone });
    },
    forget: (writeSeq: number) =>
      entries.deleteAll('WHERE write_seq = ? AND written = 0 AND key IS NULL', writeSeq),
    /** Takes back what was intended by this key. */
    forgetKey: (key: string) => entries.deleteAll('WHERE key = ? AND written = 0', key),
    prune(nowMs: number): void {
      entries.deleteAll('WHERE key IS NULL AND at_ms < ?', Math.trunc(nowMs - KEEP_WRITES_MS));
      entries.deleteAll('WHERE at_ms < ?', Math.trunc(nowMs - KEEP_KEYS_MS));
    },
  };
}
