// The connection to PostgreSQL through pg-boss, for the host of a room and for its workers, and the host's watch over heartbeats. The
// package is a peer that is loaded here alone, once a room or a worker asks for it.
import { setTimeout as rest } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { RoomError } from '../../../core/errors.ts';

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
    // One look over all queues would be in the way of the one that matters: see watchHeartbeats.
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

const LOOK_MS = 1_000;
/** Between two queues that are cared for: jobs that ended long ago are removed. */
const CARE_EVERY_MS = 15_000;

/** Read alone: it asks for no flush of the disk, and touches the room's own tables only. */
const LATE = `SELECT DISTINCT name FROM ${SCHEMA}.job
  WHERE name = ANY (ARRAY(SELECT name FROM ${SCHEMA}.queue WHERE starts_with(name, $1))) AND state = 'active'
    AND heartbeat_on + heartbeat_seconds * interval '1 second' < ${SCHEMA}.job_now()`;

/**
 * Has the engine take turns away from silent workers the moment that there are some. All else that queues need is done for one queue at
 * a time, seldom, so that it is never in the way of that.
 * @returns ends the watch
 */
export function watchHeartbeats(boss: PgBoss, { room, onFreed, onTrouble }: PgBossOptions): () => void {
  const closing = new AbortController();
  const { signal } = closing;
  const prefix = `${room}.`;
  let caredAt = performance.now();
  let names: string[] = [];
  async function care(): Promise<void> {
    if (performance.now() - caredAt < CARE_EVERY_MS) return;
    caredAt = performance.now();
    if (names.length === 0)
      names = (await boss.getQueues()).map(({ name }) => name).filter((name) => name.startsWith(prefix));
    const next = names.pop();
    if (next !== undefined) await boss.supervise(next);
  }
  async function look(): Promise<void> {
    const { rows } = await boss.getDb().executeSql(LATE, [prefix]);
    for (const { name } of rows as { name: string }[]) {
      await boss.supervise(name);
      onFreed?.(name.slice(prefix.length));
    }
    if (rows.length === 0) await care();
  }
  void (async () => {
    while (!signal.aborted) {
      await look().catch((error) => signal.aborted || onTrouble(error));
      await rest(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return () => closing.abort();
}

async function load(): Promise<typeof import('pg-boss')> {
  try {
    return await import('pg-boss');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const hint =
      'install it beside taskroom: npm install pg-boss@12.35.0 (with -g where taskroom is installed so)';
    const message = 'a queue on PostgreSQL asks for the package pg-boss, which is not installed';
    throw new RoomError('unavailable', message, { cause: error, hint });
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
