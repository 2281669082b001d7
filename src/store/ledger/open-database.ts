// Opening the ledger: a torn file is set aside, a ledger of another version is begun anew, a newer one is refused.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';
import { BUSY_MS, Database, type Opened, type OpenOptions } from './database.ts';
import * as schema from './schema.ts';
import {
  asRoomError,
  clearSuspicion,
  connect,
  damageError,
  findDamage,
  isCorrupt,
  isSuspect,
  markSuspect,
  setAside,
} from './sqlite-file.ts';
import type { AnyTable } from './table.ts';

/**
 * Opens `path`, creating it as needed.
 * @throws RoomError `invalid_file` for a ledger of a newer version, `io` when the disk refuses or it is damaged under a daemon.
 */
export function openDatabase(path: string, options: OpenOptions): Database {
  mkdirSync(dirname(path), { recursive: true });
  return new Database(path, options, () => openFile(path, options));
}

const MAPPED_BYTES = 2 ** 28;

/** A handle on a ledger that is well, as far as its first pages and what others found tell. */
function openFile(path: string, { busyMs = BUSY_MS, mapped, mayReplace = () => true }: OpenOptions): Opened {
  let handle: DatabaseSync | null = null;
  let damaged: string | null = null;
  try {
    handle = connect(path, busyMs);
    if (isSuspect(path) && mayReplace()) {
      const damage = findDamage(handle);
      if (damage !== null) throw damage;
      clearSuspicion(path);
    }
  } catch (error) {
    handle?.close();
    if (!isCorrupt(error)) throw asRoomError(error, path);
    if (!mayReplace()) {
      markSuspect(path);
      throw damageError(path, null, error);
    }
    damaged = setAside(path);
    handle = connect(path, busyMs);
  }
  try {
    makeTables(handle, path);
  } catch (error) {
    handle.close();
    throw asRoomError(error, path);
  }
  if (mapped) handle.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  return { handle, damaged };
}

/** Raised with every change of a table's declaration, and of what is kept in one. A test holds the two together. */
export const LEDGER_VERSION = 102;

export const declaredTables = () =>
  Object.values<unknown>(schema).filter(
    (declared): declared is AnyTable =>
      typeof declared === 'object' && declared !== null && 'schema' in declared,
  );

/**
 * Makes the tables of a new ledger. One of an earlier version is copied and begun anew, from what the files say.
 * @throws RoomError `invalid_file` for a ledger of a newer version, and as SQLite throws
 */
function makeTables(handle: DatabaseSync, path: string): void {
  const version = () => Number(handle.prepare('PRAGMA user_version').get()!.user_version);
  const found = version();
  if (found === LEDGER_VERSION) return;
  if (found > LEDGER_VERSION)
    throw new RoomError('invalid_file', `${path} was written by a newer taskroom (ledger version ${found})`, {
      hint: 'update taskroom, or move the file away to start a new ledger',
    });
  const copy = `${path}.v${found}`;
  // A copy of the file alone would miss what still stands in the write-ahead log.
  if (found > 0 && !existsSync(copy)) handle.prepare('VACUUM INTO ?').run(copy);
  handle.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it meanwhile.
    if (version() < LEDGER_VERSION) {
      const own = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
      for (const { name } of handle.prepare(own).all()) handle.exec(`DROP TABLE ${name}`);
      for (const { schema, indexes } of declaredTables())
        for (const sql of [schema, ...indexes]) handle.exec(sql);
      handle.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
    }
    handle.exec('COMMIT');
  } catch (error) {
    handle.exec('ROLLBACK');
    throw error;
  }
}
