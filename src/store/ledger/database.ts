// Opening the ledger: one SQLite file in WAL mode with full sync, so that a committed row survives a power cut.
// A newer schema is refused, an older one is copied first and then migrated; a torn file is set aside, never overwritten.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';
import { MIGRATIONS } from './schema.ts';

export type Row = Record<string, string | number | bigint | null | Uint8Array>;

/** A ledger database: prepared statements are kept, transactions nest into the outermost one. */
export interface Database {
  readonly path: string;
  /** Where a damaged ledger was set aside when this one was opened; null when it was well. */
  readonly damaged: string | null;
  /** The prepared statement for `sql`, made once. */
  prepare(sql: string): StatementSync;
  /**
   * Runs `body` in one immediate transaction; a nested call joins it. Rolls back when it throws.
   * Throws RoomError `locked` when another process holds the ledger for longer than the busy timeout, or than
   * `waitMs` where that is given; `body` has then not run.
   */
  transaction<T>(body: () => T, waitMs?: number): T;
  close(): void;
}

export interface OpenOptions {
  /** Opens without creating, for commands that only read. */
  mustExist?: boolean;
  /** For a short look at much of it: pages are mapped, not copied. They count as memory of this process. */
  mapped?: boolean;
  /** How long a write waits for another process, milliseconds. */
  busyMs?: number;
}

/**
 * Opens `path`, creating and migrating it as needed.
 * @throws RoomError `invalid_file` for a ledger of a newer version, `io` when the disk refuses.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  if (!options.mustExist) mkdirSync(dirname(path), { recursive: true });
  let handle: DatabaseSync;
  let damaged: string | null = null;
  try {
    handle = connect(path, options.busyMs ?? 10_000);
  } catch (error) {
    if (!isCorrupt(error)) throw asRoomError(error, path);
    damaged = setAside(path);
    handle = connect(path, options.busyMs ?? 10_000);
  }
  try {
    migrate(handle, path);
  } catch (error) {
    handle.close();
    throw asRoomError(error, path);
  }
  if (options.mapped) handle.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  return wrap(handle, path, options.busyMs ?? 10_000, damaged);
}

const MAPPED_BYTES = 2 ** 28;

// 16 MB: pages that a mass of commits writes again and again go into the file once for many of them.
const LOG_PAGES = 4_000;

function connect(path: string, busyMs: number): DatabaseSync {
  const handle = new DatabaseSync(path, { timeout: busyMs });
  try {
    handle.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -4096;
      PRAGMA wal_autocheckpoint = ${LOG_PAGES};`,
    );
    handle.prepare('SELECT count(*) FROM sqlite_master').get();
  } catch (error) {
    handle.close();
    throw error;
  }
  return handle;
}

function migrate(handle: DatabaseSync, path: string): void {
  const version = () => Number((handle.prepare('PRAGMA user_version').get() as Row).user_version);
  if (version() === MIGRATIONS.length) return;
  if (version() > MIGRATIONS.length) {
    throw new RoomError(
      'invalid_file',
      `${path} was written by a newer taskroom (ledger version ${version()})`,
      {
        hint: 'update taskroom, or move the file away to start a new ledger',
      },
    );
  }
  keepCopy(handle, path, version());
  handle.exec('BEGIN IMMEDIATE');
  try {
    const from = version();
    for (const step of MIGRATIONS.slice(from)) handle.exec(step);
    handle.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    handle.exec('COMMIT');
  } catch (error) {
    handle.exec('ROLLBACK');
    throw error;
  }
}

// A copy of the file alone would miss what still stands in the write-ahead log.
function keepCopy(handle: DatabaseSync, path: string, version: number): void {
  const copy = `${path}.v${version}`;
  if (version > 0 && !existsSync(copy)) handle.prepare('VACUUM INTO ?').run(copy);
}

// How long one try to begin a transaction waits.
const LOOK_MS = 3;

function wrap(handle: DatabaseSync, path: string, busyMs: number, damaged: string | null): Database {
  const statements = new Map<string, StatementSync>();
  let depth = 0;
  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = handle.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  // SQLite's own waiting looks only ten times a second after a while, and starves where many others look more often.
  const begin = (waitMs: number): void => {
    handle.exec(`PRAGMA busy_timeout = ${LOOK_MS}`);
    try {
      for (let waitedMs = LOOK_MS; ; waitedMs += LOOK_MS) {
        try {
          return void prepare('BEGIN IMMEDIATE').run();
        } catch (error) {
          if (sqliteCode(error) !== 5 || waitedMs >= waitMs) throw error;
        }
      }
    } finally {
      handle.exec(`PRAGMA busy_timeout = ${busyMs}`);
    }
  };
  const outermost = <T>(body: () => T, waitMs: number): T => {
    begin(waitMs);
    try {
      const result = body();
      prepare('COMMIT').run();
      return result;
    } catch (error) {
      if (handle.isTransaction) prepare('ROLLBACK').run();
      throw error;
    }
  };
  return {
    path,
    damaged,
    prepare,
    transaction(body, waitMs) {
      depth += 1;
      try {
        return depth > 1 ? body() : outermost(body, waitMs ?? busyMs);
      } catch (error) {
        throw asRoomError(error, path);
      } finally {
        depth -= 1;
      }
    },
    close() {
      statements.clear();
      if (handle.isOpen) handle.close();
    },
  };
}

function sqliteCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : null;
}

function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}

// SQLite result codes: 5 BUSY, 8 READONLY, 10 IOERR, 13 FULL, 14 CANTOPEN.
function asRoomError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === 5)
    return new RoomError('locked', `another process keeps ${path} busy`, {
      cause: error,
      retryAfterMs: 1000,
    });
  if (code === 8 || code === 10 || code === 13 || code === 14) {
    return new RoomError('io', `${path}: ${(error as Error).message}`, {
      cause: error,
      hint: 'check free space and permissions',
    });
  }
  return error;
}

function setAside(path: string): string {
  let count = 1;
  while (existsSync(`${path}.damaged-${count}`)) count += 1;
  const aside = `${path}.damaged-${count}`;
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
