// Bringing a ledger to the schema of this version: a newer one is refused, an older one is copied first.
import { existsSync } from 'node:fs';
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
