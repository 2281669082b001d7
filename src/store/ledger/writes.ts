// What the writer remembers: each of our writes to a file, and each entry or id it put there. A write is intended
// before the file changes and confirmed with the change, so that after a crash it is known what was under way.
import type { Database, Row } from './database.ts';
import { createEntriesTable, type EntriesTable, KEEP_WRITES_MS } from './entries.ts';

// A busy file may be written a hundred times a second: only so many old texts of one path are kept.
const BASES_PER_PATH = 64;

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
  /** Where the old inode is linked: relative to the room, or absolute. */
  kept: string | null;
}

export interface KeptInode {
  seq: number;
  atMs: number;
  path: string;
  task: string | null;
  kept: string;
  /** The text in it that is merged already: at first what the write was made on. */
  text: string;
}

export interface WritesTable {
  readonly entries: EntriesTable;
  intend(write: IntendedWrite): number;
  confirm(seq: number, done: DoneWrite): void;
  /** Takes back an intention that came to nothing, with its entries that have no key. */
  forget(seq: number): void;
  /** Hash of the text our last write left at `path`; null when there is none. */
  lastHash(path: string): string | null;
  /** True when a write of this text was intended and never confirmed. */
  isIntended(path: string, hash: string): boolean;
  /** Confirms a write whose process died between the rename and its record: its text stands in the file. */
  recover(path: string, hash: string): boolean;
  isOurs(path: string, hash: string): boolean;
  baseOf(seq: number): string | null;
  /** Kept inodes of writes made at or before `untilMs`, oldest first. */
  kept(untilMs: number, limit: number): KeptInode[];
  keptOf(seq: number): KeptInode | null;
  noteKept(seq: number, text: string): void;
  dropKept(seq: number): void;
  /** Windows of writes done since `sinceMs`, in order: the measured times in which a save by rename is not seen. */
  windows(sinceMs: number): { path: string; startMs: number; endMs: number }[];
  prune(nowMs: number): void;
  /** Paths written since `sinceMs`. */
  paths(sinceMs: number): string[];
}

// Loaded when first used: commands that only read need it never.
const zlib = () => process.getBuiltinModule('node:zlib');

function pack(text: string): Uint8Array {
  return zlib().deflateRawSync(text, { level: 1 });
}

function unpack(blob: unknown): string | null {
  return blob instanceof Uint8Array ? zlib().inflateRawSync(blob).toString('utf8') : null;
}

function toKept(row: Row): KeptInode {
  return {
    seq: Number(row.seq),
    atMs: Number(row.at),
    path: row.path as string,
    task: row.task as string | null,
    kept: row.kept as string,
    text: unpack(row.kept_text) ?? unpack(row.base) ?? '',
  };
}

export function createWritesTable(db: Database): WritesTable {
  const entries = createEntriesTable(db);
  const confirm = (seq: number, done: DoneWrite): void => {
    const sql = `UPDATE writes SET done = (SELECT coalesce(max(done), 0) + 1 FROM writes WHERE done IS NOT NULL),
      window_start = ?, window_end = ?, kept = ? WHERE seq = ?`;
    db.prepare(sql).run(done.windowStartMs, done.windowEndMs, done.kept, seq);
    entries.setWritten(seq);
  };
  const intended = (path: string, hash: string): { seq: number } | undefined => {
    const sql =
      'SELECT seq FROM writes WHERE path = ? AND done IS NULL AND after_hash = ? ORDER BY seq DESC LIMIT 1';
    return db.prepare(sql).get(path, hash) as { seq: number } | undefined;
  };
  return {
    entries,
    confirm,
    intend(write) {
      const sql = `INSERT INTO writes(at, path, task, actor, before_hash, after_hash, base) VALUES(?, ?, ?, ?, ?, ?, ?)`;
      const base = write.base === null ? null : pack(write.base);
      const { atMs, path, task, actor, beforeHash, afterHash } = write;
      return Number(
        db.prepare(sql).run(Math.trunc(atMs), path, task, actor, beforeHash, afterHash, base).lastInsertRowid,
      );
    },
    forget(seq) {
      db.prepare('DELETE FROM writes WHERE seq = ? AND done IS NULL').run(seq);
      entries.forget(seq);
    },
    lastHash(path) {
      const sql =
        'SELECT after_hash FROM writes WHERE path = ? AND done IS NOT NULL ORDER BY done DESC LIMIT 1';
      return (db.prepare(sql).get(path) as { after_hash: string } | undefined)?.after_hash ?? null;
    },
    isIntended: (path, hash) => intended(path, hash) !== undefined,
    recover(path, hash) {
      const row = intended(path, hash);
      if (row) confirm(row.seq, { windowStartMs: null, windowEndMs: null, kept: null });
      return row !== undefined;
    },
    isOurs: (path, hash) =>
      db.prepare('SELECT 1 FROM writes WHERE path = ? AND after_hash = ? LIMIT 1').get(path, hash) !==
      undefined,
    baseOf(seq) {
      return unpack((db.prepare('SELECT base FROM writes WHERE seq = ?').get(seq) as Row | undefined)?.base);
    },
    kept(untilMs, limit) {
      const sql = 'SELECT * FROM writes WHERE kept IS NOT NULL AND at <= ? ORDER BY at, seq LIMIT ?';
      return (db.prepare(sql).all(Math.trunc(untilMs), limit) as Row[]).map(toKept);
    },
    keptOf(seq) {
      const row = db.prepare('SELECT * FROM writes WHERE seq = ? AND kept IS NOT NULL').get(seq) as
        | Row
        | undefined;
      return row ? toKept(row) : null;
    },
    noteKept(seq, text) {
      db.prepare('UPDATE writes SET kept_text = ? WHERE seq = ?').run(pack(text), seq);
    },
    dropKept(seq) {
      db.prepare('UPDATE writes SET kept = NULL, kept_text = NULL WHERE seq = ?').run(seq);
    },
    paths: (sinceMs) =>
      (db.prepare('SELECT DISTINCT path FROM writes WHERE at >= ?').all(Math.trunc(sinceMs)) as Row[]).map(
        (row) => row.path as string,
      ),
    windows(sinceMs) {
      const sql = `SELECT path, window_start, window_end FROM writes WHERE window_start >= ? ORDER BY done`;
      return (db.prepare(sql).all(sinceMs) as Row[]).map((row) => ({
        path: row.path as string,
        startMs: Number(row.window_start),
        endMs: Number(row.window_end),
      }));
    },
    prune(nowMs) {
      const until = Math.trunc(nowMs - KEEP_WRITES_MS);
      entries.prune(nowMs);
      db.prepare('DELETE FROM writes WHERE at < ? AND kept IS NULL').run(until);
      const sql = `UPDATE writes SET base = NULL WHERE base IS NOT NULL AND kept IS NULL AND seq IN (
        SELECT seq FROM (SELECT seq, row_number() OVER (PARTITION BY path ORDER BY seq DESC) AS age FROM writes WHERE base IS NOT NULL)
        WHERE age > ${BASES_PER_PATH})`;
      db.prepare(sql).run();
    },
  };
}
