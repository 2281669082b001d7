// Opening the ledger: one SQLite file in WAL mode with full sync, so that a committed row survives a power cut.
// A newer schema is refused, an older one is copied first and then migrated; a torn file is set aside, never overwritten.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RoomError } from '../../core/errors.ts';
import { connect } from './connect.ts';
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
import type { Database } from './database.ts';
import { createKeptRows, type KeptRows } from './kept-rows.ts';
import { migrate } from './migrate.ts';

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
  readonly kept: KeptRows;
  /** Of the last look for commits of other processes. */
  version: number | null;
  readonly listeners: Set<(error: RoomError) => void>;
  /** Transactions that are open, one in another. */
  depth: number;
  /** Damage found within a transaction, which fails as a whole before the ledger is set aside. */
  found: unknown;
}

function wrap(handle: DatabaseSync, path: string, options: OpenOptions, damaged: string | null): Database {
  const busyMs = options.busyMs ?? BUSY_MS;
  const kept = createKeptRows(() => {
    if (connection.depth === 0) lookForOthers(connection);
  });
  const parts = { statements: new Map(), kept, listeners: new Set<(error: RoomError) => void>() };
  const connection: Connection = {
    ...{ path, options, busyMs, handle, ...parts },
    ...{ version: null, depth: 0, found: null },
  };
  const { statements, listeners } = connection;
  return {
    path,
    damaged,
    busyMs,
    prepare: (sql) => prepare(connection, sql),
    keep: kept.keep,
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
  connection.kept.forget();
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
  const changed = connection.kept.changedBy(sql);
  for (const name of CALLS) {
    const call = statement[name].bind(statement) as (...values: never[]) => never;
    statement[name] = (...values: never[]) => {
      try {
        return call(...values);
      } catch (error) {
        throw failed(connection, error);
      } finally {
        changed?.(values);
      }
    };
  }
  return statement;
}

/** Asked before a look, and once in a transaction: within one nobody else commits. */
function lookForOthers(connection: Connection): void {
  const statement = prepare(connection, 'PRAGMA data_version');
  statement.setReturnArrays(true);
  const [version] = statement.get() as unknown as [number];
  if (version === connection.version) return;
  connection.kept.forget();
  connection.version = version;
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
    lookForOthers(connection);
    const result = body();
    handle.exec('COMMIT');
    return result;
  } catch (error) {
    if (handle.isTransaction) handle.exec('ROLLBACK');
    connection.kept.forget();
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
