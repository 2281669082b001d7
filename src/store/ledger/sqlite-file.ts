// The ledger's file: opening it, what SQLite's errors mean here, and how a damaged file is found and set aside.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';

export interface OpenOptions {
  /** Whether this process may set a damaged ledger aside: beside a daemon that is the daemon's to do. */
  mayReplace?: () => boolean;
  /** For a short look at much of it: pages are mapped, not copied. They count as memory of this process. */
  mapped?: boolean;
  busyMs?: number; // How long a write waits for another process, milliseconds; 10,000 when absent.
  effects: Effects; // A commit that may wait pauses between two tries.
}

export type AnyTable = { readonly schema: string; readonly indexes: readonly string[] };

export const BUSY_MS = 10_000;

// 16 MB: pages that a mass of commits writes again and again go into the file once for many of them.
const LOG_PAGES = 4_000;

/** Throws SQLite's own error for a file that is no ledger, or that the disk refuses. */
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

const MAPPED_BYTES = 2 ** 28;

/** A handle on a ledger that is well, as far as its first pages and what others found tell. A torn file is set aside, a
 * ledger of an earlier version is begun anew.
 * @returns the handle, and where a damaged file was set aside for it; null when it was well
 * @throws RoomError `invalid_file` for a ledger of a newer version, `io` */
export function openFile(
  path: string,
  { busyMs = BUSY_MS, mapped, mayReplace = () => true }: OpenOptions,
  tables: () => readonly AnyTable[],
) {
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
    makeTables(handle, path, tables);
  } catch (error) {
    handle.close();
    throw asRoomError(error, path);
  }
  if (mapped) handle.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  return { handle, damaged };
}

/** Raised with every change of a table's declaration, and of what is kept in one. A test holds the two together. */
export const LEDGER_VERSION = 113;

/** Makes the tables of a new ledger. One of an earlier version is copied and begun anew, from what the files say. */
function makeTables(handle: DatabaseSync, path: string, tables: () => readonly AnyTable[]): void {
  const version = () => Number(handle.prepare('PRAGMA user_version').get()!.user_version);
  const found = version();
  if (found === LEDGER_VERSION) return;
  if (found > LEDGER_VERSION) {
    const hint = 'update taskroom, or move the file away to start a new ledger';
    const message = `${path} was written by a newer taskroom (ledger version ${found})`;
    throw new RoomError('invalid_file', message, hint);
  }
  const copy = `${path}.v${found}`;
  // A copy of the file alone would miss what still stands in the write-ahead log.
  if (found > 0 && !existsSync(copy)) handle.prepare('VACUUM INTO ?').run(copy);
  handle.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it meanwhile.
    if (version() < LEDGER_VERSION) {
      const own = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
      for (const { name } of handle.prepare(own).all()) handle.exec(`DROP TABLE ${name}`);
      for (const { schema, indexes } of tables()) for (const sql of [schema, ...indexes]) handle.exec(sql);
      handle.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
    }
    handle.exec('COMMIT');
  } catch (error) {
    handle.exec('ROLLBACK');
    throw error;
  }
}

export function sqliteCode(error: unknown): number | null {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : null;
}

// SQLite result codes: 11 CORRUPT, 26 NOTADB.
export function isCorrupt(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}

/** True for the failure of a statement that found the ledger damaged. */
export const isDamage = (error: unknown): error is RoomError =>
  error instanceof RoomError && isCorrupt(error.cause);

// SQLite result codes: 5 BUSY, 8 READONLY, 10 IOERR, 13 FULL, 14 CANTOPEN.
export function asRoomError(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  const busy = { cause: error, retryAfterMs: 1000 };
  if (code === 5) return new RoomError('locked', `another process keeps ${path} busy`, busy);
  if (code === null || ![8, 10, 13, 14].includes(code)) return error;
  const hint = 'check free space and permissions';
  return new RoomError('io', `${path}: ${(error as Error).message}`, { cause: error, hint });
}

/** @param aside where it was set aside; null where that is the daemon's to do */
export function damageError(path: string, aside: string | null, cause: unknown): RoomError {
  const begun = 'try again; tasks that say doing wait for an edit or taskroom run';
  const [what, hint] =
    aside === null
      ? ['the daemon of the room will set it aside', 'try again in a few seconds']
      : [`it lies at ${aside}, and a new one was begun`, begun];
  return new RoomError('io', `the ledger ${path} was damaged: ${what}`, { cause, hint });
}

const markOf = (path: string) => `${path}.suspect`;

/** Leaves word that somebody found the ledger damaged. */
export function markSuspect(path: string): void {
  try {
    writeFileSync(markOf(path), '');
  } catch {
    // Whoever comes upon the damage next tries again.
  }
}

export const isSuspect = (path: string) => existsSync(markOf(path));
export const clearSuspicion = (path: string) => rmSync(markOf(path), { force: true });

/** What is wrong with the ledger's pages; null when nothing is. Reads all of it. */
function findDamage(handle: DatabaseSync): unknown {
  try {
    const said = handle.prepare('PRAGMA integrity_check(1)').get()!.integrity_check;
    return said === 'ok' ? null : Object.assign(new Error(String(said)), { errcode: 11 });
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return error;
  }
}

/** Looks through a handle of its own: the one in use may have the pages in memory. Null when nothing is wrong. */
export function findDamageOnDisk(path: string, busyMs: number): unknown {
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
