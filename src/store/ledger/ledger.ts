// The ledger: the durable record of turns, requests and what was observed. One open handle a process.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RoomConfig } from '../../core/config/room-config.ts';
import type { EventBus } from '../../core/events.ts';
import type { Effects } from '../../effects.ts';
import type { Room } from '../room.ts';
import { Database } from './database.ts';
import * as schema from './schema.ts';
import type { AnyTable, OpenOptions } from './sqlite-file.ts';

type Schema = typeof schema;
type Tables = {
  [K in keyof Schema as Schema[K] extends { open: unknown } ? K : never]: Schema[K] extends {
    open(db: Database): infer Opened;
  }
    ? Opened
    : never;
};

export type Ledger = ReturnType<typeof openLedger>;

export interface RoomParts {
  readonly room: Room;
  readonly ledger: Ledger;
  readonly effects: Effects;
  readonly events: EventBus;
  config(): RoomConfig; // The settings in force; the last good ones after a bad reload.
}

export const declaredTables = () =>
  Object.values<unknown>(schema).filter(
    (declared): declared is AnyTable =>
      typeof declared === 'object' && declared !== null && 'schema' in declared,
  );

/** Opens `path`, creating it as needed.
 * @throws RoomError `invalid_file` for a ledger of a newer version, `io` when the disk refuses or it is damaged under a daemon. */
export function openDatabase(path: string, options: OpenOptions): Database {
  mkdirSync(dirname(path), { recursive: true });
  return new Database(path, options, declaredTables);
}

/** The same with its tables: each that has an `open` is a member. */
export function openLedger(path: string, options: OpenOptions) {
  const database = openDatabase(path, options);
  const tables = Object.entries<object>(schema).flatMap(([name, value]) =>
    'open' in value ? [[name, (value.open as (db: Database) => unknown)(database)]] : [],
  );
  return {
    ...(Object.fromEntries(tables) as Tables),
    database,
    transaction: database.transaction.bind(database),
    together: database.together.bind(database),
    close: database.close.bind(database),
  };
}
