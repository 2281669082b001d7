// What the writer remembers: each of our writes to a file, and each entry or id it put there. A write is intended
// before the file changes and confirmed with the change, so that after a crash it is known what was under way.
import type { Database, Row } from '../database.ts';
import { createEntriesTable, type EntriesTable, KEEP_WRITES_MS } from './entries.ts';
import { createOldInodesTable, type OldInodesTable } from './old-inodes.ts';
import { packText, unpackText } from './packed-text.ts';

export interface IntendedWrite {
  atMs: number;
  path: string;
  task: string | null;
  actor: string;
  /** '' for a file that is being created. */
  beforeHash: string;
  afterHash: string;
  /** The text before. */
  base: string | null;
}

export interface DoneWrite {
  windowStartMs: number | null;
  windowEndMs: number | null;
  /** Where the old inode is linked: relative to the room, or absolute; null when it is not kept. */
  oldInode: string | null;
}

export interface WritesTable extends RecordedWrites {
  readonly entries: EntriesTable;
  readonly oldInodes: OldInodesTable;
  intend(write: IntendedWrite): number;
  confirm(seq: number, done: DoneWrite): void;
  /** Takes back an intention that came to nothing, with its entries that have no key. */
  forget(seq: number): void;
  /** Confirms a write whose process died between the rename and its record: its text stands in the file. */
  recover(path: string, hash: string): boolean;
  prune(nowMs: number): void;
}

/** Looking writes up. */
interface RecordedWrites {
  /** Hash of the text our last write left at `path`; null when there is none. */
  lastHash(path: string): string | null;
  /** Our last write at `path`, and who asked for it; null when there is none. */
  last(path: string): Pick<IntendedWrite, 'actor' | 'beforeHash' | 'afterHash'> | null;
  /** True when a write of this text was intended and never confirmed. */
  isIntended(path: string, hash: string): boolean;
  isOurs(path: string, hash: string): boolean;
  /** True for a file of this text that an operation of a person or an agent created. */
  isMadeOnDemand(path: string, hash: string): boolean;
  /** The text a write was made on. */
  baseOf(seq: number): string | null;
  /** Windows of writes done since `sinceMs`, in order: the measured times in which a save by rename is not seen. */
  windows(sinceMs: number): { path: string; startMs: number; endMs: number }[];
  /** Paths written since `sinceMs`. */
  paths(sinceMs: number): string[];
}

const INTEND = `INSERT INTO writes(at, path, task, actor, before_hash, after_hash, base) VALUES(?, ?, ?, ?, ?, ?, ?)`;
const CONFIRM = `UPDATE writes SET done = (SELECT coalesce(max(done), 0) + 1 FROM writes WHERE done IS NOT NULL),
  window_start = ?, window_end = ?, kept = ? WHERE seq = ?`;

// What we write is meant, also where the file was as it is once: it is the latest version then, and no restored one.
const MEANT = `INSERT INTO versions(task, hash, pulled, pushed) SELECT task, after_hash, '[]', '[]' FROM writes
  WHERE seq = ? AND EXISTS (SELECT 1 FROM versions WHERE task = writes.task AND hash = writes.after_hash)`;

// A busy file may be written a hundred times a second: only so many old texts of one path are kept.
const BASES_PER_PATH = 64;
const DROP_BASES = `UPDATE writes SET base = NULL WHERE base IS NOT NULL AND kept IS NULL AND seq IN (
  SELECT seq FROM (SELECT seq, row_number() OVER (PARTITION BY path ORDER BY seq DESC) AS age FROM writes WHERE base IS NOT NULL)
  WHERE age > ${BASES_PER_PATH})`;

export function createWritesTable(db: Database): WritesTable {
  const entries = createEntriesTable(db);
  const confirm = (seq: number, done: DoneWrite): void => {
    db.prepare(CONFIRM).run(done.windowStartMs, done.windowEndMs, done.oldInode, seq);
    db.prepare(MEANT).run(seq);
    entries.setWritten(seq);
  };
  return {
    ...recordedWrites(db),
    entries,
    oldInodes: createOldInodesTable(db),
    intend({ atMs, path, task, actor, beforeHash, afterHash, base }) {
      const packed = base === null ? null : packText(base);
      const { lastInsertRowid } = db
        .prepare(INTEND)
        .run(Math.trunc(atMs), path, task, actor, beforeHash, afterHash, packed);
      return Number(lastInsertRowid);
    },
    confirm,
    forget(seq) {
      db.prepare('DELETE FROM writes WHERE seq = ? AND done IS NULL').run(seq);
      entries.forget(seq);
    },
    recover(path, hash) {
      const seq = intended(db, path, hash);
      if (seq !== null) confirm(seq, { windowStartMs: null, windowEndMs: null, oldInode: null });
      return seq !== null;
    },
    prune(nowMs) {
      entries.prune(nowMs);
      const until = Math.trunc(nowMs - KEEP_WRITES_MS);
      db.prepare('DELETE FROM writes WHERE at < ? AND kept IS NULL').run(until);
      db.prepare(DROP_BASES).run();
    },
  };
}

/** The latest write of this text that was intended and never confirmed. */
function intended(db: Database, path: string, hash: string): number | null {
  const sql =
    'SELECT seq FROM writes WHERE path = ? AND done IS NULL AND after_hash = ? ORDER BY seq DESC LIMIT 1';
  const row = db.prepare(sql).get(path, hash) as { seq: number } | undefined;
  return row?.seq ?? null;
}

function recordedWrites(db: Database): RecordedWrites {
  return {
    lastHash(path) {
      const sql =
        'SELECT after_hash FROM writes WHERE path = ? AND done IS NOT NULL ORDER BY done DESC LIMIT 1';
      return (db.prepare(sql).get(path) as { after_hash: string } | undefined)?.after_hash ?? null;
    },
    last(path) {
      const sql = `SELECT actor, before_hash AS beforeHash, after_hash AS afterHash FROM writes WHERE path = ?
        ORDER BY seq DESC LIMIT 1`;
      return (db.prepare(sql).get(path) as ReturnType<RecordedWrites['last']> | undefined) ?? null;
    },
    isIntended: (path, hash) => intended(db, path, hash) !== null,
    isOurs(path, hash) {
      const sql = 'SELECT 1 FROM writes WHERE path = ? AND after_hash = ? LIMIT 1';
      return db.prepare(sql).get(path, hash) !== undefined;
    },
    isMadeOnDemand(path, hash) {
      const sql = `SELECT 1 FROM writes WHERE path = ? AND after_hash = ? AND before_hash = '' AND actor <> 'runtime' LIMIT 1`;
      return db.prepare(sql).get(path, hash) !== undefined;
    },
    baseOf(seq) {
      const row = db.prepare('SELECT base FROM writes WHERE seq = ?').get(seq) as Row | undefined;
      return unpackText(row?.base);
    },
    windows(sinceMs) {
      const sql = `SELECT path, window_start, window_end FROM writes WHERE window_start >= ? ORDER BY done`;
      return (db.prepare(sql).all(sinceMs) as Row[]).map((row) => ({
        path: row.path as string,
        startMs: Number(row.window_start),
        endMs: Number(row.window_end),
      }));
    },
    paths(sinceMs) {
      const sql = 'SELECT DISTINCT path FROM writes WHERE at >= ?';
      return (db.prepare(sql).all(Math.trunc(sinceMs)) as Row[]).map((row) => row.path as string);
    },
  };
}
