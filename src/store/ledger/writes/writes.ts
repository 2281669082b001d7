// What the writer remembers: each of our writes to a file, each entry or id it put there, and the versions of a mirrored file.
// A write is intended before the file changes and confirmed with the change, so that after a crash it is known what was under way.
import type { SectionName } from '../../../core/task/body/sections.ts';
import type { NewRowOf, RowOf } from '../table.ts';
import { flag, initially, integer, json, optional, real, sequence, table, text } from '../table.ts';

const KEEP_WRITES_MS = 15 * 60_000; // Rows without a key are of use while a stale buffer may still be saved.
const KEEP_KEYS_MS = 30 * 86_400_000; // Keys belong to turns, and a turn's records are kept for 30 days.

/** Entries and ids the runtime wrote, in exact words. With a key a row outlives its write: written again it is found. */
export const ENTRIES = table(
  'entries',
  {
    seq: sequence(),
    writeSeq: optional(integer()),
    atMs: integer(),
    task: optional(text()),
    path: text(),
    key: optional(text()), // Unique in the room; null for an entry that is not repeated.
    /** 'id' for an id that was given, 'typed' for a person's text that was merged in, 'done' for a change by its key. */
    section: text<SectionName | 'id' | 'typed' | 'done'>(),
    block: text(), // The words; for 'typed' the whole text after the merge.
    written: initially(flag(), false),
    restoredAtMs: optional(integer()),
    gone: initially(flag(), false), // True when it was taken out for good.
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

const entries = ENTRIES.with((rows, db) => ({
  byKey: (key: string) => rows.first({ key }),
  /** Records the intention of an entry with the write `writeSeq`; one with a known key joins that write. */
  intend(entry: NewEntry, writeSeq: number): void {
    const known = entry.key === null ? null : rows.first({ key: entry.key });
    if (known !== null) rows.update(known.seq, { writeSeq, atMs: entry.atMs });
    else rows.insert({ ...entry, writeSeq });
  },
  /** Written entries of a file since then, oldest first: those of its path and of its task. */
  recent: (path: string, task: string | null, sinceMs: number): EntryRow[] =>
    db.rows<object>(RECENT, path, Math.trunc(sinceMs), task).map(ENTRIES.read),
  /** Texts that were merged in since then, oldest first, at most the last eight: each holds a whole file. */
  merged: (path: string, task: string | null, sinceMs: number): EntryRow[] =>
    db.rows<object>(MERGED, path, Math.trunc(sinceMs), task).map(ENTRIES.read).reverse(),
}));

/** A row for each of our own recent writes to task files: intended before the rename (`done` is null), then numbered in the
 * order they happened. They tell our texts from a person's and hold what a merge needs. */
export const WRITES = table(
  'writes',
  {
    seq: sequence(),
    atMs: integer(),
    path: text(),
    task: optional(text()),
    actor: text(),
    beforeHash: text(),
    afterHash: text(),
    base: optional(text()),
    done: optional(integer()),
    windowStartMs: optional(real()),
    windowEndMs: optional(real()),
    /** Where the old inode is linked, relative to the room or absolute, until it is settled; null when it is not kept. */
    oldInode: optional(text()),
    oldText: optional(text()), // What was already merged from it.
    /** The writes of one command of a person have the same; null where it made this one alone. */
    command: optional(text()),
  },
  {
    indexes: {
      writes_by_path: '(path, done)',
      writes_in_order: '(done) WHERE done IS NOT NULL',
      writes_with_inode: '(at_ms) WHERE old_inode IS NOT NULL',
    },
  },
);

export type WriteRow = RowOf<typeof WRITES>;
type DoneWrite = Pick<WriteRow, 'windowStartMs' | 'windowEndMs' | 'oldInode'>;
type IntendedWrite = Omit<WriteRow, 'seq' | 'done' | 'oldText' | keyof DoneWrite>;
export type WritesTable = ReturnType<typeof writes.open>;

const CONFIRM = `UPDATE writes SET done = (SELECT coalesce(max(done), 0) + 1 FROM writes WHERE done IS NOT NULL),
  window_start_ms = ?, window_end_ms = ?, old_inode = ? WHERE seq = ?`;

// What we write is meant, also where the file was as it is once: it is the latest version then, and no restored one.
const MEANT = `INSERT INTO versions(task, hash, pulled, pushed) SELECT task, after_hash, '[]', '[]' FROM writes
  WHERE seq = ? AND EXISTS (SELECT 1 FROM versions WHERE task = writes.task AND hash = writes.after_hash)`;

// A busy file may be written a hundred times a second: only so many old texts of one path are kept.
const BASES_PER_PATH = 64;
const DROP_BASES = `UPDATE writes SET base = NULL WHERE base IS NOT NULL AND old_inode IS NULL AND seq IN (
  SELECT seq FROM (SELECT seq, row_number() OVER (PARTITION BY path ORDER BY seq DESC) AS age FROM writes WHERE base IS NOT NULL)
  WHERE age > ${BASES_PER_PATH})`;

/** A file we replaced: its old inode stays linked for a while, so that what a program still saves into it is not lost. */
export interface ReplacedFile {
  seq: number;
  atMs: number;
  path: string;
  task: string | null;
  link: string; // Where it is linked: relative to the room, or absolute.
  text: string; // The text in it that is merged already: at first what the write was made on.
}

function replacedIn({ seq, atMs, path, task, oldInode, oldText, base }: WriteRow): ReplacedFile {
  return { seq, atMs, path, task, link: oldInode!, text: oldText ?? base ?? '' };
}

const UNSEEN: DoneWrite = { windowStartMs: null, windowEndMs: null, oldInode: null };
const REPLACED = 'WHERE old_inode IS NOT NULL AND at_ms <= ? ORDER BY at_ms, seq LIMIT ?';
const INTENDED =
  'SELECT seq FROM writes WHERE path = ? AND done IS NULL AND after_hash = ? ORDER BY seq DESC LIMIT 1';
const LAST_HASH =
  'SELECT after_hash FROM writes WHERE path = ? AND done IS NOT NULL ORDER BY done DESC LIMIT 1';
const WINDOWS = `SELECT path, window_start_ms AS startMs, window_end_ms AS endMs FROM writes
  WHERE window_start_ms >= ? ORDER BY done`;

export const writes = WRITES.with((rows, db) => {
  const ofEntries = entries.open(db);
  return {
    entries: ofEntries,
    replaced: {
      /** Those of writes made at or before `untilMs`, oldest first. */
      list: (untilMs: number, limit: number) => rows.all(REPLACED, untilMs, limit).map(replacedIn),
      get(seq: number): ReplacedFile | null {
        const row = rows.get(seq);
        return row === null || row.oldInode === null ? null : replacedIn(row);
      },
      setText: (seq: number, oldText: string) => rows.update(seq, { oldText }),
      drop: (seq: number) => rows.update(seq, { oldInode: null, oldText: null }),
    },
    intend: (write: IntendedWrite) => rows.insert(write),
    /** @param done absent where the process died between the rename and its record: the text stands in the file */
    confirm(seq: number, done: DoneWrite = UNSEEN): void {
      db.run(CONFIRM, done.windowStartMs, done.windowEndMs, done.oldInode, seq);
      db.run(MEANT, seq);
      db.run('UPDATE entries SET written = 1 WHERE write_seq = ?', seq);
    },
    /** Takes back an intention that came to nothing, with its entries that have no key. */
    forget(seq: number): void {
      rows.deleteAll({ seq, done: null });
      ofEntries.deleteAll({ writeSeq: seq, written: false, key: null });
    },
    /** The latest write of this text that was intended and never confirmed. */
    intended: (path: string, hash: string) => db.column<number>(INTENDED, path, hash)[0] ?? null,
    lastHash: (path: string): string | null => db.column<string>(LAST_HASH, path)[0] ?? null,
    last: (path: string) => rows.first('WHERE path = ? ORDER BY seq DESC LIMIT 1', path),
    isOurs: (path: string, hash: string) => rows.has({ path, afterHash: hash }),
    /** Who wrote this text; null where it is none of ours. */
    actorOf: (path: string, hash: string) =>
      rows.first('WHERE path = ? AND after_hash = ? ORDER BY seq DESC LIMIT 1', path, hash)?.actor ?? null,
    /** True for a file of this text that an operation of a person or an agent created. */
    isMadeOnDemand: (path: string, hash: string) =>
      rows.has("WHERE path = ? AND after_hash = ? AND before_hash = '' AND actor <> 'runtime'", path, hash),
    baseOf: (seq: number) => rows.get(seq)?.base ?? null,
    /** Windows of writes done since `sinceMs`, in order: the measured times in which a save by rename is not seen. */
    windows: (sinceMs: number) => db.rows<{ path: string; startMs: number; endMs: number }>(WINDOWS, sinceMs),
    paths: (sinceMs: number) =>
      db.column<string>('SELECT DISTINCT path FROM writes WHERE at_ms >= ?', sinceMs),
    prune(nowMs: number): void {
      db.run('DELETE FROM entries WHERE key IS NULL AND at_ms < ?', nowMs - KEEP_WRITES_MS);
      db.run('DELETE FROM entries WHERE at_ms < ?', nowMs - KEEP_KEYS_MS);
      rows.deleteAll("WHERE at_ms < ? AND old_inode IS NULL AND actor <> 'person'", nowMs - KEEP_WRITES_MS);
      db.run(DROP_BASES);
    },
  };
});

/** The versions of a mirrored file that both sides agreed on, by their hash, and which fields each of them had from where:
 * what a file that is an earlier version of itself again would undo. */
export const VERSIONS = table(
  'versions',
  {
    seq: sequence(),
    task: text(),
    hash: text(),
    pulled: json<readonly string[]>(), // Fields that came from upstream with it.
    pushed: json<readonly string[]>(),
    savedAt: optional(real()), // When the file was saved, ms of the disk's clock.
  },
  { indexes: { versions_by_task: '(task, hash, seq)' } },
);

/** Files that were made an earlier version of themselves again by somebody else than the runtime. */
export const RESTORED = table('restored', {
  task: text(),
  text: text(),
  undone: json<readonly string[]>(), // Fields whose newer value had come from upstream, and `comments`.
  proved: flag(), // Git wrote it, or it kept its old time: no editor made it.
});

type Restored = Omit<RowOf<typeof RESTORED>, 'task'>;
type NewVersion = NewRowOf<typeof VERSIONS>;

const KEPT = 100; // An older version than so many is nobody's to restore without a look at both sides.
const DROP_OLD = `WHERE task = ?1 AND seq <= (SELECT seq FROM versions WHERE task = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT})`;
const SINCE = `WHERE task = ?1 AND seq > (SELECT max(seq) FROM versions WHERE task = ?1 AND hash = ?2) ORDER BY seq`;

export const versions = VERSIONS.with((rows, db) => {
  const restored = RESTORED.in(db);
  return {
    /** Both sides agree: with it, nothing is restored any more. */
    add(task: string, hash: string, change: Pick<NewVersion, 'pulled' | 'pushed' | 'savedAt'>): void {
      restored.delete(task);
      const latest = rows.first('WHERE task = ? ORDER BY seq DESC LIMIT 1', task);
      if (latest?.hash === hash && change.pulled.length + change.pushed.length === 0) return;
      rows.insert({ task, hash, ...change });
      rows.deleteAll(DROP_OLD, task);
    },
    /** The youngest time of the file's versions, ms; null where none is known. */
    savedAt: (task: string) =>
      db.column<number | null>('SELECT max(saved_at) FROM versions WHERE task = ?', task)[0] ?? null,
    /** Of a file with this hash: what had come from upstream since. Empty for a version that is the latest one, or none. */
    undone(task: string, hash: string): string[] {
      const fields = new Set<string>();
      for (const { pulled, pushed } of rows.all(SINCE, task, hash)) {
        for (const field of pushed) fields.delete(field);
        for (const field of pulled) fields.add(field);
      }
      return [...fields];
    },
    setRestored: (task: string, change: Restored) => restored.put({ task, ...change }),
    restored: (task: string): Restored | null => restored.get(task),
  };
});
