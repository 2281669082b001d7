// What each file in tasks/ said when it was last read: a cache keyed by path and checked by size, times and inode.
import { packReading, unpackReading } from '../../../core/task/listed-task.ts';
import type { TaskReading } from '../../../core/task/task.ts';
import type { Database } from '../database.ts';
import { flag, integer, optional, type RowOf, real, table, text } from '../table.ts';

/** A cache over the texts, safe to lose. Each look at the room reads all stamps, so that they stand in an index too. Where
 * `observed`, the ledger's tasks hold this id with this path and hash. */
export const FILES = table(
  'files',
  {
    path: text(),
    size: integer(),
    mtimeMs: real(),
    ctimeMs: real(),
    ino: integer(),
    hash: text(),
    reading: text(),
  },
  {
    indexes: {
      files_stamps: '(path, size, mtime_ms, ctime_ms, ino)',
      files_unobserved: '(id) WHERE observed = 0',
      files_odd: `(path) WHERE instr(reading, '"oddKeys":') > 0`,
      // Where no task names a budget, nobody looks for those among the turns that run.
      files_with_budget: `(path) WHERE instr(reading, '"budget":') > 0`,
    },
    apart: { id: optional(text()), observed: flag() },
  },
);

const PUT = `INSERT INTO files(path, size, mtime_ms, ctime_ms, ino, hash, id, observed, reading) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(path) DO UPDATE SET size = excluded.size, mtime_ms = excluded.mtime_ms, ctime_ms = excluded.ctime_ms,
    ino = excluded.ino, hash = excluded.hash, id = excluded.id, reading = excluded.reading,
    observed = max(excluded.observed, observed AND hash = excluded.hash)`;
const INVALID = `INDEXED BY files_unobserved
  WHERE observed = 0 AND id IS NULL AND reading LIKE '{"ok":false%' ORDER BY path`;
const UNOBSERVED =
  'SELECT path FROM files INDEXED BY files_unobserved WHERE observed = 0 AND (id IS NOT NULL OR ?) ORDER BY path';
// Each observed file has a task of its own at its path: where there are as many tasks with a path, none lacks its file.
const COUNTS = `SELECT (SELECT count(*) FROM tasks WHERE path IS NOT NULL) AS placed, (SELECT count(*) FROM files) AS kept,
  (SELECT count(*) FROM files INDEXED BY files_unobserved WHERE observed = 0) AS unobserved`;
const MISSING = `SELECT path FROM tasks WHERE path IS NOT NULL AND path NOT IN (SELECT path FROM files) ORDER BY path`;
const STAMPS = `SELECT path, size, mtime_ms, ctime_ms, ino FROM files INDEXED BY files_stamps
  WHERE path > ? ORDER BY path LIMIT ?`;
const CHANGE_TIMES = `SELECT path, ctime_ms FROM files INDEXED BY files_stamps WHERE path > ? ORDER BY path LIMIT ?`;
// The first line of the reading is all that lists need.
const CACHED = `SELECT path, size, mtime_ms, ctime_ms, ino, substr(reading, 1, instr(reading, char(10)) - 1)
  FROM files WHERE path > ? ORDER BY path LIMIT ?`;
const UNLINKED = `WHERE id IS NOT NULL AND id NOT IN (SELECT task FROM mirrors)
  AND instr(reading, '"remote":') > 0 ORDER BY path`;
const ODD = `INDEXED BY files_odd WHERE instr(reading, '"oddKeys":') > 0 ORDER BY path`;
const NAMING = `WHERE instr(reading, ?) > 0 ORDER BY path`;
// What they say depends on the settings of the room.
const READ_ANEW = `UPDATE files SET size = -1, observed = 0
  WHERE reading LIKE '{"ok":false%' OR instr(reading, '"own_status":') > 0`;
const PATHS_OF_ID = `SELECT path FROM files WHERE observed = 0 AND id = ?1
  UNION SELECT files.path FROM tasks CROSS JOIN files USING (path) WHERE tasks.id = ?1 AND files.id = ?1`;

/** As `stat` gives them: equal stamps mean an unchanged file. */
export type FileStamp = Pick<RowOf<typeof FILES>, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>;

/** A stamp with what the file said, as `unpackForList` takes it. */
export type CachedFile = FileStamp & { path: string; line: string };
export type FileRow = { path: string; stamp: FileStamp; hash: string; reading: TaskReading };

export function stampOf({ size, mtimeMs, ctimeMs, ino }: FileStamp): FileStamp {
  return { size, mtimeMs, ctimeMs, ino };
}

export const sameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.ino === b.ino;

function fileOf({ path, size, mtimeMs, ctimeMs, ino, hash, reading }: RowOf<typeof FILES>): FileRow {
  return { path, stamp: { size, mtimeMs, ctimeMs, ino }, hash, reading: unpackReading(reading, hash) };
}

export const files = FILES.with((rows, db) => {
  const all = (rest: string, ...values: string[]) => rows.all(rest, ...values).map(fileOf);
  const counts = () => db.rows<{ placed: number; kept: number; unobserved: number }>(COUNTS)[0]!;
  return {
    get(path: string): FileRow | null {
      const row = rows.get(path);
      return row && fileOf(row);
    },
    // Whoever takes it in as an observation says `observed`, and gives its task this hash and path in the same transaction.
    put({ path, stamp: { size, mtimeMs, ctimeMs, ino }, hash, reading }: FileRow, observed: boolean): void {
      const id = reading.ok ? reading.task.id : null;
      const seen = Number(observed);
      db.run(PUT, path, size, mtimeMs, ctimeMs, ino, hash, id, seen, packReading(reading, mtimeMs));
    },
    /** @param observed false: it must be taken in again though it stays as it is */
    setObserved: (path: string, observed: boolean) =>
      rows.update(path, { observed }, `observed = ${Number(!observed)}`),
    /** Other statuses of the room's own: files that have one, or can't be read, are as good as changed. */
    readAnew: () => void db.run(READ_ANEW),
    toReadAnew: () => db.column<string>('SELECT path FROM files WHERE size < 0 ORDER BY path'),
    stamps(): Map<string, FileStamp> {
      const stamps = new Map<string, FileStamp>();
      // By number: taking arrays apart by their iterator costs as much as the query, until it is compiled.
      for (const page of pagesOf<StampColumns>(db, STAMPS, 10_000))
        for (const row of page)
          stamps.set(row[0], { size: row[1], mtimeMs: row[2], ctimeMs: row[3], ino: row[4] });
      return stamps;
    },
    /** Path → change time of every cached file, ms: whatever happens to a file sets it, and it is read in half the time of stamps. */
    changeTimes: () => changeTimesIn(db),
    /** Every cached file in the order of paths, its reading still packed: for lists. */
    *cached(): Iterable<CachedFile> {
      for (const page of pagesOf<[...StampColumns, line: string]>(db, CACHED, 1_000))
        for (const row of page)
          yield { path: row[0], size: row[1], mtimeMs: row[2], ctimeMs: row[3], ino: row[4], line: row[5] };
    },
    unlinked: () => all(UNLINKED), // Files that say they mirror an issue, and whose task has no mirror.
    pathsOfId: (id: string) => db.column<string>(PATHS_OF_ID, id),
    invalid: () => all(INVALID),
    odd: () => all(ODD).filter(({ reading }) => reading.ok && reading.task.oddKeys !== undefined),
    naming: (key: 'scope' | 'artifact' | 'sprint') =>
      all(NAMING, `"${key}":`).filter(({ reading }) => reading.ok && reading.task[key] !== null),
    /** Paths whose reading was not taken in as an observation; those without an id (invalid files) too, unless `onlyWithId`. */
    unobserved: (onlyWithId = false) => db.column<string>(UNOBSERVED, Number(!onlyWithId)),
    /** Paths where a task was last seen and of which no reading is kept. */
    missing(): string[] {
      const { placed, kept, unobserved } = counts();
      return placed === kept - unobserved ? [] : db.column<string>(MISSING);
    },
    /** True says, by one look, that `unobserved` and `missing` have nothing to tell; false says nothing. */
    isComplete(): boolean {
      const { placed, kept, unobserved } = counts();
      return unobserved === 0 && placed === kept;
    },
  };
});

function changeTimesIn(db: Database): Map<string, number> {
  const times = new Map<string, number>();
  for (const page of pagesOf<[path: string, ctimeMs: number]>(db, CHANGE_TIMES, 10_000))
    for (const row of page) times.set(row[0], row[1]);
  return times;
}

type StampColumns = [path: string, size: number, mtimeMs: number, ctimeMs: number, ino: number];

/** All that `sql` gives, a page of `size` rows at a time: each page begins after the last path of the one before. */
function* pagesOf<T extends [path: string, ...unknown[]]>(db: Database, sql: string, size: number) {
  for (let after = ''; ; ) {
    const rows = db.arrays<T>(sql, after, size);
    yield rows;
    if (rows.length < size) return;
    after = rows.at(-1)![0];
  }
}
