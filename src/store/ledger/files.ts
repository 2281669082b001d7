// What each file in tasks/ said when it was last read: a cache keyed by path and checked by size, times and inode.
import { packReading, unpackReading } from '../../core/packed-reading.ts';
import type { TaskReading } from '../../core/task.ts';
import type { Database, Row } from './database.ts';

const UNOBSERVED = `SELECT files.path FROM files LEFT JOIN tasks ON tasks.id = files.id
  WHERE (files.id IS NOT NULL OR ?) AND (tasks.hash IS NOT files.hash OR tasks.path IS NOT files.path) ORDER BY files.path`;
const MISSING = `SELECT path FROM tasks WHERE path IS NOT NULL AND path NOT IN (SELECT path FROM files) ORDER BY path`;

/** Size and times as `stat` gives them: equal stamps mean an unchanged file. */
export interface FileStamp {
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
}

/** A stamp with what the file said, as {@link unpackReading} takes it. */
export interface CachedFile extends FileStamp {
  hash: string;
  packed: string;
}

export interface FileRow {
  path: string;
  stamp: FileStamp;
  hash: string;
  reading: TaskReading;
}

export interface FilesTable {
  get(path: string): FileRow | null;
  put(row: FileRow): void;
  delete(path: string): void;
  /** Path → stamp of every cached file. */
  stamps(): Map<string, FileStamp>;
  /** Every cached file by path, in order, its reading still packed: for lists. */
  cached(): Map<string, CachedFile>;
  /** Paths whose text carries this id. */
  pathsOfId(id: string): string[];
  invalid(): FileRow[];
  /**
   * Paths whose reading was kept but not taken in as an observation: without a task, or with another text or place
   * than the task was last seen with. Files that carry no id (invalid ones too) are among them unless `onlyWithId`.
   */
  unobserved(onlyWithId?: boolean): string[];
  /** Paths where a task was last seen and of which no reading is kept. */
  missing(): string[];
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;
}

export function createFilesTable(db: Database): FilesTable {
  const paths = (sql: string, ...values: number[]): string[] =>
    (db.prepare(sql).all(...values) as Row[]).map((row) => row.path as string);
  const rowOf = (row: Row): FileRow => ({
    path: row.path as string,
    stamp: {
      size: Number(row.size),
      mtimeMs: Number(row.mtime),
      ctimeMs: Number(row.ctime),
      ino: Number(row.ino),
    },
    hash: row.hash as string,
    reading: unpackReading(row.reading as string, row.path as string, row.hash as string),
  });
  return {
    get(path) {
      const row = db.prepare('SELECT * FROM files WHERE path = ?').get(path) as Row | undefined;
      return row ? rowOf(row) : null;
    },
    put({ path, stamp, hash, reading }) {
      const id = reading.ok ? reading.task.id : null;
      const sql = `INSERT INTO files(path, size, mtime, ctime, ino, hash, id, reading) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, ctime = excluded.ctime,
          ino = excluded.ino, hash = excluded.hash, id = excluded.id, reading = excluded.reading`;
      db.prepare(sql).run(
        path,
        stamp.size,
        stamp.mtimeMs,
        stamp.ctimeMs,
        stamp.ino,
        hash,
        id,
        packReading(reading),
      );
    },
    delete(path) {
      db.prepare('DELETE FROM files WHERE path = ?').run(path);
    },
    stamps() {
      const statement = db.prepare(
        'SELECT path, size, mtime, ctime, ino FROM files WHERE path > ? ORDER BY path LIMIT 10000',
      );
      statement.setReturnArrays(true);
      const stamps = new Map<string, FileStamp>();
      for (let after = ''; ; ) {
        const rows = statement.all(after) as unknown as [string, number, number, number, number][];
        for (const [path, size, mtimeMs, ctimeMs, ino] of rows)
          stamps.set(path, { size, mtimeMs, ctimeMs, ino });
        if (rows.length < 10_000) return stamps;
        after = rows.at(-1)![0];
      }
    },
    cached() {
      const statement = db.prepare(
        'SELECT path, size, mtime, ctime, ino, hash, reading FROM files WHERE path > ? ORDER BY path LIMIT 1000',
      );
      statement.setReturnArrays(true);
      const all = new Map<string, CachedFile>();
      for (let after = ''; ; ) {
        const rows = statement.all(after) as unknown as [
          string,
          number,
          number,
          number,
          number,
          string,
          string,
        ][];
        for (const [path, size, mtimeMs, ctimeMs, ino, hash, packed] of rows) {
          all.set(path, { size, mtimeMs, ctimeMs, ino, hash, packed });
        }
        if (rows.length < 1_000) return all;
        after = rows.at(-1)![0];
      }
    },
    pathsOfId: (id) =>
      (db.prepare('SELECT path FROM files WHERE id = ?').all(id) as Row[]).map((row) => row.path as string),
    invalid: () =>
      (
        db
          .prepare('SELECT * FROM files WHERE id IS NULL AND reading LIKE \'{"ok":false%\' ORDER BY path')
          .all() as Row[]
      ).map(rowOf),
    unobserved: (onlyWithId = false) => paths(UNOBSERVED, Number(!onlyWithId)),
    missing: () => paths(MISSING),
  };
}
