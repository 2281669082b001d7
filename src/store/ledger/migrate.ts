// Bringing a ledger to the schema of this version: a newer one is refused, an older one is copied first.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';
import * as schema from './schema.ts';
import type { AnyTable } from './table.ts';

export const declaredTables = () => Object.values<unknown>(schema).filter(isTable);

function isTable(declared: unknown): declared is AnyTable {
  return typeof declared === 'object' && declared !== null && 'schema' in declared;
}

/**
 * Raised with every change of a table's declaration; said here, since a ledger that is up to date needs none of them
 * loaded. A test holds the two together.
 */
export const LEDGER_VERSION = 102;
/** Ledgers of earlier versions are begun anew, from what the files say. */
const FIRST_VERSION = 102;

/** @throws RoomError `invalid_file` for a ledger of a newer version, and as SQLite throws */
export function migrate(handle: DatabaseSync, path: string): void {
  const version = () =>
    Number((handle.prepare('PRAGMA user_version').get() as { user_version: number }).user_version);
  if (version() === LEDGER_VERSION) return;
  if (version() > LEDGER_VERSION) {
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
    if (from < FIRST_VERSION) dropAll(handle);
    // Another process may have done it meanwhile.
    if (from < LEDGER_VERSION) addMissing(handle);
    handle.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
    handle.exec('COMMIT');
  } catch (error) {
    handle.exec('ROLLBACK');
    throw error;
  }
}

function dropAll(handle: DatabaseSync): void {
  const own = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  for (const { name } of handle.prepare(own).all()) handle.exec(`DROP TABLE ${name}`);
}

/** Tables, columns and indexes that are declared and not there. A column that is added is null, or has a default. */
export function addMissing(handle: DatabaseSync): void {
  const names = handle.prepare('SELECT name FROM sqlite_master').all();
  const known = new Set(names.map(({ name }) => name));
  for (const { name, columnSql, schema, indexes } of declaredTables()) {
    if (known.has(name)) {
      const there = new Set(
        handle
          .prepare(`PRAGMA table_info(${name})`)
          .all()
          .map((column) => column.name),
      );
      for (const [column, sql] of columnSql)
        if (!there.has(column)) handle.exec(`ALTER TABLE ${name} ADD COLUMN ${column} ${sql}`);
    } else handle.exec(schema);
    for (const [index, sql] of indexes) if (!known.has(index)) handle.exec(sql);
  }
}

// A copy of the file alone would miss what still stands in the write-ahead log.
function keepCopy(handle: DatabaseSync, path: string, version: number): void {
  const copy = `${path}.v${version}`;
  if (version > 0 && !existsSync(copy)) handle.prepare('VACUUM INTO ?').run(copy);
}

// What SQLite's errors mean here, and a damaged ledger: noticed at any statement, examined, and set aside, never
// overwritten. A process that may not set it aside leaves a mark for the one that may.

export function sqliteCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : null;
}

// SQLite result codes: 11 CORRUPT, 26 NOTADB.
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}

/** True for the failure of a statement that found the ledger damaged. */
export function isDamage(error: unknown): error is RoomError {
  return error instanceof RoomError && isCorrupt(error.cause);
}

// SQLite result codes: 5 BUSY, 8 READONLY, 10 IOERR, 13 FULL, 14 CANTOPEN.
export function asRoomError(error: unknown, path: string): unknown {
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

/** @param aside where it was set aside; null where that is the daemon's to do */
export function damageError(path: string, aside: string | null, cause: unknown): RoomError {
  const [what, hint] =
    aside === null
      ? ['the daemon of the room will set it aside', 'try again in a few seconds']
      : [
          `it lies at ${aside}, and a new one was begun`,
          'try again; tasks that say doing wait for an edit or taskroom run',
        ];
  return new RoomError('io', `the ledger ${path} was damaged: ${what}`, { cause, hint });
}

/** Leaves word that somebody found the ledger damaged. */
export function markSuspect(path: string): void {
  try {
    writeFileSync(markOf(path), '');
  } catch {
    // Whoever comes upon the damage next tries again.
  }
}

export function isSuspect(path: string): boolean {
  return existsSync(markOf(path));
}

export function clearSuspicion(path: string): void {
  rmSync(markOf(path), { force: true });
}

function markOf(path: string): string {
  return `${path}.suspect`;
}

/** What is wrong with the ledger's pages; null when nothing is. Reads all of it. */
export function findDamage(handle: DatabaseSync): unknown {
  try {
    const { integrity_check: said } = handle.prepare('PRAGMA integrity_check(1)').get() as Record<
      string,
      string
    >;
    return said === 'ok' ? null : Object.assign(new Error(said), { errcode: 11 });
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return error;
  }
}

/** Moves the ledger away under a name of its own; returns that. */
export function setAside(path: string): string {
  let count = 1;
  while (existsSync(`${path}.damaged-${count}`)) count += 1;
  const aside = `${path}.damaged-${count}`;
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  clearSuspicion(path);
  return aside;
}
