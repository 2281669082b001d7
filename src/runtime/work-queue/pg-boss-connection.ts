// The connection to PostgreSQL through pg-boss, for the host of a room and for its workers. The package is a peer that is
// loaded here alone, once a room or a worker asks for it.
import type { PgBoss } from 'pg-boss';
import { RoomError } from '../../core/errors.ts';

export interface PgBossOptions {
  /** `postgres://user:password@host/database`. */
  url: string;
  /** The room's id: its queues are its own. */
  room: string;
  /** The host makes the schema and watches over heartbeats; a worker only takes jobs. */
  role: 'host' | 'worker';
  /** Turns of that agent were taken away from workers that died, and wait for the next. Told to the host. */
  onFreed?: (agent: string) => void;
  /** Told of what fails beside the calls. */
  onTrouble(error: unknown): void;
}

/** pg-boss's own tables, for all rooms on one database. */
export const SCHEMA = 'taskroom';
/** How soon a queue is looked over again that is asked to be. */
const SUPERVISE_SECONDS = 1;
/** Jobs that ended are removed this often. */
const REMOVE_SECONDS = 300;
const CONNECT_MS = 4_000;
const QUERY_MS = 8_000;
/** Longer than between two heartbeats, so that a busy worker keeps its connection; an idle one lets it go. */
const IDLE_MS = 2_500;
const MOST_CONNECTIONS = { host: 6, worker: 2 };

/** Starts an engine. @throws what the driver says, RoomError `unavailable` where the package is missing */
export async function connectPgBoss({ url, role, onTrouble }: PgBossOptions): Promise<PgBoss> {
  const { PgBoss } = await load();
  const isHost = role === 'host';
  const boss = new PgBoss({
    connectionString: url,
    schema: SCHEMA,
    application_name: `taskroom ${role}`,
    max: MOST_CONNECTIONS[role],
    connectionTimeoutMillis: CONNECT_MS,
    createSchema: isHost,
    migrate: isHost,
    // One look over all queues would be in the way of the one that matters: see heartbeat-watch.ts.
    supervise: false,
    schedule: false,
    monitorVacuum: false,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: REMOVE_SECONDS,
    // Handed on to the pool of `pg`, which has more settings than pg-boss names.
    ...{ idleTimeoutMillis: IDLE_MS, query_timeout: QUERY_MS, keepAlive: true },
  });
  boss.on('error', onTrouble);
  try {
    await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    throw error;
  }
  return boss;
}

async function load(): Promise<typeof import('pg-boss')> {
  try {
    return await import('pg-boss');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new RoomError(
      'unavailable',
      'a queue on PostgreSQL asks for the package pg-boss, which is not installed',
      {
        cause: error,
        hint: 'install it beside taskroom: npm install pg-boss@12.35.0 (with -g where taskroom is installed so)',
      },
    );
  }
}

/** What the driver says holds no password, but may hold nothing at all. */
export function unreachable(error: unknown): RoomError {
  const { message, code } = error as { message?: string; code?: string };
  const why = message || code || String(error);
  return new RoomError('unavailable', `the queue on PostgreSQL can't be asked: ${why}`, {
    cause: error,
    hint: 'see that PostgreSQL runs, that this machine may reach it, and docs/scaling.md for what its role needs',
  });
}
