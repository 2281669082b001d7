// Opening the ledger: one SQLite file in WAL mode with full sync, so that a committed row survives a power cut.
// A newer schema is refused, an older one is copied first and then migrated; a torn file is set aside, never overwritten.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';
import {
  asRoomError,
  clearSuspicion,
  damageError,
  findDamage,
  isCorrupt,
  isSuspect,
  markSuspect,
  setAside,
  sqliteCode,
} from './damage.ts';
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
  /** Looks at all of it where somebody came upon damage; what is damaged is set aside. */
  examine(): void;
  /** Calls `listener` when the ledger was set aside and a new one begun. */
  onDamage(listener: (error: RoomError) => void): () => void;
  close(): void;
}

export interface OpenOptions {
  /** Whether this process may set a damaged ledger aside: beside a daemon that is the daemon's to do. */
  mayReplace?: () => boolean;
  /** Opens without creating, for commands that only read. */
  mustExist?: boolean;
  /** For a short look at much of it: pages are mapped, not copied. They count as memory of this process. */
  mapped?: boolean;
  /** How long a write waits for another process, milliseconds. */
  busyMs?: number;
}

/**
 * Opens `path`, creating and migrating it as needed.
 * @throws RoomError `invalid_file` for a ledger of a newer version, `io` when the disk refuses or it is damaged under a daemon.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  if (!options.mustExist) mkdirSync(dirname(path), { recursive: true });
  const opened = openFile(path, options);
  return wrap(opened.handle, path, options, opened.damaged);
}

/** A handle on a ledger that is well, as far as its first pages and what others found tell. */
function openFile(path: string, options: OpenOptions): { handle: DatabaseSync; damaged: string | null } {
  const busyMs = options.busyMs ?? BUSY_MS;
  let handle: DatabaseSync | null = null;
  let damaged: string | null = null;
  try {
    handle = connect(path, busyMs);
    if (isSuspect(path) && mayReplace(options)) {
      const damage = findDamage(handle);
      if (damage !== null) throw damage;
      clearSuspicion(path);
    }
  } catch (error) {
    handle?.close();
    if (!isCorrupt(error)) throw asRoomError(error, path);
    if (!mayReplace(options)) {
      markSuspect(path);
      throw damageError(path, null, error);
    }
    damaged = setAside(path);
    handle = connect(path, busyMs);
  }
  try {
    migrate(handle, path);
  } catch (error) {
    handle.close();
    throw asRoomError(error, path);
  }
  if (options.mapped) handle.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  return { handle, damaged };
}

function mayReplace(options: OpenOptions): boolean {
  return options.mayReplace?.() ?? true;
}

const BUSY_MS = 10_000;

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

const CALLS = ['run', 'get', 'all'] as const;

function wrap(first: DatabaseSync, path: string, options: OpenOptions, damaged: string | null): Database {
  const busyMs = options.busyMs ?? BUSY_MS;
  const statements = new Map<string, StatementSync>();
  const listeners = new Set<(error: RoomError) => void>();
  let handle = first;
  let depth = 0;
  /** Found within a transaction, which fails as a whole before the ledger is set aside. */
  let found: unknown = null;

  // Every statement may be the one that comes upon a damaged page.
  function failed(error: unknown): unknown {
    if (!isCorrupt(error)) return asRoomError(error, path);
    found = error;
    return depth > 0 ? damageError(path, null, error) : settleDamage();
  }

  function settleDamage(): RoomError {
    const cause = found;
    found = null;
    if (path === MEMORY || !mayReplace(options)) {
      markSuspect(path);
      return damageError(path, null, cause);
    }
    statements.clear();
    handle.close();
    const aside = setAside(path);
    handle = openFile(path, options).handle;
    const error = damageError(path, aside, cause);
    for (const listener of listeners) listener(error);
    return error;
  }

  function guarded(sql: string): StatementSync {
    const statement = handle.prepare(sql);
    for (const name of CALLS) {
      const call = statement[name].bind(statement) as (...values: never[]) => never;
      statement[name] = (...values: never[]) => {
        try {
          return call(...values);
        } catch (error) {
          throw failed(error);
        }
      };
    }
    return statement;
  }

  const prepare = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      try {
        statement = guarded(sql);
      } catch (error) {
        throw failed(error);
      }
      statements.set(sql, statement);
    }
    return statement;
  };
  return {
    path,
    damaged,
    prepare,
    transaction(body, waitMs) {
      depth += 1;
      let error: unknown;
      try {
        return depth > 1 ? body() : inOneTransaction(handle, body, { waitMs: waitMs ?? busyMs, busyMs });
      } catch (thrown) {
        error = failed(thrown);
      } finally {
        depth -= 1;
      }
      throw depth === 0 && found !== null ? settleDamage() : error;
    },
    examine() {
      if (depth > 0 || !isSuspect(path) || !mayReplace(options)) return;
      found = findDamageOnDisk(path, busyMs);
      if (found === null) clearSuspicion(path);
      else settleDamage();
    },
    onDamage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      statements.clear();
      if (handle.isOpen) handle.close();
    },
  };
}

/** Looked for through a handle of its own: the one in use may have its pages in memory. */
function findDamageOnDisk(path: string, busyMs: number): unknown {
  let fresh: DatabaseSync | null = null;
  try {
    fresh = connect(path, busyMs);
    return findDamage(fresh);
  } catch (error) {
    if (!isCorrupt(error)) throw asRoomError(error, path);
    return error;
  } finally {
    fresh?.close();
  }
}

const MEMORY = ':memory:';

function inOneTransaction<T>(
  handle: DatabaseSync,
  body: () => T,
  { waitMs, busyMs }: { waitMs: number; busyMs: number },
): T {
  handle.exec(`PRAGMA busy_timeout = ${LOOK_MS}`);
  try {
    begin(handle, waitMs);
  } finally {
    handle.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
  try {
    const result = body();
    handle.exec('COMMIT');
    return result;
  } catch (error) {
    if (handle.isTransaction) handle.exec('ROLLBACK');
    throw error;
  }
}

// SQLite's own waiting looks only ten times a second after a while, and starves where many others look more often.
function begin(handle: DatabaseSync, waitMs: number): void {
  for (let waitedMs = LOOK_MS; ; waitedMs += LOOK_MS) {
    try {
      return handle.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (sqliteCode(error) !== 5 || waitedMs >= waitMs) throw error;
    }
  }
}
