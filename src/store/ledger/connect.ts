// A handle on the ledger's file, with the settings that all of ours have.
import { DatabaseSync } from 'node:sqlite';

// 16 MB: pages that a mass of commits writes again and again go into the file once for many of them.
const LOG_PAGES = 4_000;

/** Throws SQLite's own error for a file that is no ledger, or that the disk refuses. */
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
