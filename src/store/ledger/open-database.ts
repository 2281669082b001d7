// Opening the ledger: one SQLite file in WAL mode with full sync, so that a committed row survives a power cut.
// A newer schema is refused, an older one is copied first and then migrated; a torn file is set aside, never overwritten.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { RoomError } from '../../core/errors.ts';
import type { Database } from './database.ts';
import {
  asRoomError,
  clearSuspicion,
  damageError,
  findDamage,
  isCorrupt,
  isSuspect,
  markSuspect,
  migrate,
  setAside,
  sqliteCode,
} from './migrate.ts';

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

// 16 MB: pages that a mass of commits writes again and again go into the file once for many of them.
const LOG_PAGES = 4_000;

/**
 * A handle on the ledger's file, with the settings that all of ours have. Throws SQLite's own error for a file that is no
 * ledger, or that the disk refuses.
 */
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

const BUSY_MS = 10_000;

const MAPPED_BYTES = 2 ** 28;

// How long one try to begin a transaction waits.
const LOOK_MS = 3;

const CALLS = ['run', 'get', 'all'] as const;

/** A ledger that is open: its handle is another one once a damaged file was set aside. */
interface Connection {
  readonly path: string;
  readonly options: OpenOptions;
  readonly busyMs: number;
  handle: DatabaseSync;
  readonly statements: Map<string, StatementSync>;
  readonly listeners: Set<(error: RoomError) => void>;
  /** Transactions that are open, one in another. */
  depth: number;
  /** Damage found within a transaction, which fails as a whole before the ledger is set aside. */
  found: unknown;
}

function wrap(handle: DatabaseSync, path: string, options: OpenOptions, damaged: string | null): Database {
  const busyMs = options.busyMs ?? BUSY_MS;
  const statements = new Map<string, StatementSync>();
  const listeners = new Set<(error: RoomError) => void>();
  const connection: Connection = {
    ...{ path, options, busyMs, handle, statements, listeners },
    ...{ depth: 0, found: null },
  };
  return {
    path,
    damaged,
    busyMs,
    prepare: (sql) => prepare(connection, sql),
    column: <T>(sql: string, ...values: SQLInputValue[]) =>
      prepare(connection, sql)
        .all(...values)
        .map((row) => Object.values(row)[0] as T),
    transaction: (body, waitMs) => transact(connection, body, waitMs ?? busyMs),
    examine: () => examine(connection),
    onDamage(listener) {
      listeners.add(listener);
      return (): void => void listeners.delete(listener);
    },
    close() {
      statements.clear();
      if (connection.handle.isOpen) connection.handle.close();
    },
  };
}

// Every statement may be the one that comes upon a damaged page.
function failed(connection: Connection, error: unknown): unknown {
  if (!isCorrupt(error)) return asRoomError(error, connection.path);
  connection.found = error;
  return connection.depth > 0 ? damageError(connection.path, null, error) : settleDamage(connection);
}

function settleDamage(connection: Connection): RoomError {
  const { path, options, found: cause } = connection;
  connection.found = null;
  if (path === MEMORY || !mayReplace(options)) {
    markSuspect(path);
    return damageError(path, null, cause);
  }
  connection.statements.clear();
  connection.handle.close();
  const aside = setAside(path);
  connection.handle = openFile(path, options).handle;
  const error = damageError(path, aside, cause);
  for (const listener of connection.listeners) listener(error);
  return error;
}

function prepare(connection: Connection, sql: string): StatementSync {
  const known = connection.statements.get(sql);
  if (known) return known;
  try {
    const statement = guarded(connection, sql);
    connection.statements.set(sql, statement);
    return statement;
  } catch (error) {
    throw failed(connection, error);
  }
}

function guarded(connection: Connection, sql: string): StatementSync {
  const statement = connection.handle.prepare(sql);
  for (const name of CALLS) {
    const call = statement[name].bind(statement) as (...values: never[]) => never;
    statement[name] = (...values: never[]) => {
      try {
        return call(...values);
      } catch (error) {
        throw failed(connection, error);
      }
    };
  }
  return statement;
}

// SQLite's own waiting looks only ten times a second after a while, and starves where many others look more often.
function begin({ handle, busyMs }: Connection, waitMs: number): void {
  handle.exec(`PRAGMA busy_timeout = ${LOOK_MS}`);
  try {
    for (let waitedMs = LOOK_MS; ; waitedMs += LOOK_MS) {
      try {
        return handle.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (sqliteCode(error) !== 5 || waitedMs >= waitMs) throw error;
      }
    }
  } finally {
    handle.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}

function outermost<T>(connection: Connection, body: () => T, waitMs: number): T {
  begin(connection, waitMs);
  const { handle } = connection;
  try {
    const result = body();
    handle.exec('COMMIT');
    return result;
  } catch (error) {
    if (handle.isTransaction) handle.exec('ROLLBACK');
    throw error;
  }
}

function transact<T>(connection: Connection, body: () => T, waitMs: number): T {
  connection.depth += 1;
  let error: unknown;
  try {
    return connection.depth > 1 ? body() : outermost(connection, body, waitMs);
  } catch (thrown) {
    error = failed(connection, thrown);
  } finally {
    connection.depth -= 1;
  }
  throw connection.depth === 0 && connection.found !== null ? settleDamage(connection) : error;
}

function examine(connection: Connection): void {
  const { path, options, busyMs, depth } = connection;
  if (depth > 0 || !isSuspect(path) || !mayReplace(options)) return;
  connection.found = findDamageOnDisk(path, busyMs);
  if (connection.found === null) clearSuspicion(path);
  else settleDamage(connection);
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
