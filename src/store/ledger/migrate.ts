// Bringing a ledger to the schema of this version: a newer one is refused, an older one is copied first.
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { RoomError } from '../../core/errors.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * How many migrations there are: said here too, since a ledger that is up to date needs none of them loaded. A test holds
 * the two equal.
 */
export const LEDGER_VERSION = 31;

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
    for (const step of MIGRATIONS.slice(from)) handle.exec(step);
    handle.exec(`PRAGMA user_version = ${LEDGER_VERSION}`);
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
