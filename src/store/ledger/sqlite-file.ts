// The ledger's file: a handle on it, what SQLite's errors mean here, and how a damaged file is found and set aside.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';

// 16 MB: pages that a mass of commits writes again and again go into the file once for many of them.
const LOG_PAGES = 4_000;

/**
 * A handle on the ledger's file, with the settings that all of ours have. Throws SQLite's own error for a file that is no
 * ledger, or that the disk refuses.
 */
export function connect(path: string, busyMs: number): DatabaseSync {
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
