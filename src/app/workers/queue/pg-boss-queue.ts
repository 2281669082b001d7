// The queue of turns on PostgreSQL, by pg-boss: a queue for each room and agent, one job a thread (policy `exclusive`), heartbeats, and the
// attempt in every answer. The engine alone says who has a turn: one attempt at a time, lost with its worker's heartbeat.
import { setTimeout as rest } from 'node:timers/promises';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { hasCode, RoomError } from '../../../core/errors.ts';

export interface PgBossOptions {
  /** `postgres://user:password@host/database`. */
  url: string;
  room: string; // The room's id: its queues are its own.
  role: 'host' | 'worker'; // The host makes the schema and watches over heartbeats; a worker only takes jobs.
  /** Tells the host that turns of an agent were taken away from workers that died, and wait for the next. */
  onFreed?: (agent: string) => void;
  /** Told of failures outside the calls, and how long each took to fail. */
  onTrouble(error: unknown, tookMs?: number): void;
}

/** One turn as it was handed out. `attempt` counts from 0 and goes up each time another worker gets it. */
export interface Job {
  id: string; // UUID.
  agent: string;
  turn: string;
  thread: string;
  attempt: number;
}

/** A worker that is silent for so long has lost its jobs. */
export const HEARTBEAT_SECONDS = 10;

/** @param priority the higher, the sooner */
type NewJob = Omit<Job, 'attempt'> & { priority: number };
type JobName = Pick<Job, 'id' | 'agent'>;

/** `waiting`: for a worker, the first or the next. `over`: completed, canceled, or given up after too many workers. */
type JobStanding = { state: 'waiting' | 'active' | 'over'; attempt: number };

/** pg-boss's own tables, for all rooms on one database. */
export const SCHEMA = 'taskroom';

const QUEUE = {
  policy: 'exclusive',
  partition: true,
  /** So many workers may lose a turn before it is given up here; its task is tried again like any interrupted one. */
  retryLimit: 20,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: 24 * 3600 - 1, // The longest that pg-boss allows: the room says how long a turn may take.
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: 600,
} as const;

const FIND = `SELECT state, retry_count AS "retryCount" FROM ${SCHEMA}.job WHERE name = $1 AND id = $2`;

export type WorkQueue = ReturnType<typeof createPgBossQueue>;

/** Connects with the first call, and again with a later one where that failed. @throws RoomError `unavailable`, as every call */
export function createPgBossQueue(options: PgBossOptions) {
  const { call, close } = createEngine(options);
  const nameOf = (agent: string) => `${options.room}.${agent}`;
  const made = new Map<string, Promise<void>>();
  const makeQueue = (agent: string) =>
    call((boss) => boss.createQueue(nameOf(agent), QUEUE)).catch((error: unknown) => {
      made.delete(agent);
      throw error;
    });
  /** Makes the queues of these agents; a hundred workers that come at once share one call. */
  const prepare = async (agents: readonly string[]) => {
    for (const agent of agents) {
      if (!made.has(agent)) made.set(agent, makeQueue(agent));
      await made.get(agent);
    }
  };
  const find = ({ id, agent }: JobName): Promise<JobStanding | null> =>
    call(async (boss) => {
      const { rows } = await boss.getDb().executeSql(FIND, [nameOf(agent), id]);
      return rows.length === 0 ? null : standingOf(rows[0]);
    });
  return {
    prepare,
    /** Sends a turn; the same `id` again changes nothing. False while another job of its thread and agent is not over. */
    async send({ id, agent, turn, thread, priority }: NewJob): Promise<boolean> {
      await prepare([agent]);
      const job = { id, data: { turn, thread }, priority, singletonKey: thread };
      const sent = await call((boss) => boss.insert(nameOf(agent), [job], { returnId: true }));
      // A job that was sent before is not inserted again.
      return (sent ?? []).length > 0 || (await find({ id, agent })) !== null;
    },
    /** Takes up to `most` jobs of these agents: those of the highest priority first, then the oldest. */
    async fetch(agents: readonly string[], most: number) {
      const jobs: Job[] = [];
      for (const agent of agents)
        if (jobs.length < most)
          jobs.push(...(await call((boss) => fetchOf(boss, nameOf(agent), agent, most - jobs.length))));
      return jobs;
    },
    /** Says that the workers of these jobs live; resolves with the ids of those that are still theirs. */
    async touch(jobs: readonly Job[]): Promise<Set<string>> {
      const alive: string[] = [];
      for (const [agent, own] of Map.groupBy(jobs, (job) => job.agent))
        alive.push(...settledBy(await call((boss) => boss.touch(nameOf(agent), own.map(attemptOf)))));
      return new Set(alive);
    },
    /** Ends a job; false for an attempt that is not the one at work. */
    complete: async (job: Job) =>
      settledBy(await call((boss) => boss.complete(nameOf(job.agent), [attemptOf(job)]))).includes(job.id),
    /** Lets another worker have it at once; false for an attempt that is not the one at work. */
    giveBack: async (job: Job) =>
      settledBy(await call((boss) => boss.fail(nameOf(job.agent), [attemptOf(job)]))).includes(job.id),
    /** Ends a job whatever its attempt, also one that waits. */
    cancel: ({ id, agent }: JobName) => call(async (boss) => void (await boss.cancel(nameOf(agent), id))),
    /** Null for a job that the queue does not know. */
    find,
    ping: () => call(async (boss) => void (await boss.getDb().executeSql('SELECT 1'))),
    close,
  };
}

async function fetchOf(boss: PgBoss, name: string, agent: string, most: number): Promise<Job[]> {
  const how = { batchSize: most, includeMetadata: true } as const;
  const taken = await boss.fetch<Pick<Job, 'turn' | 'thread'>>(name, how);
  // pg-boss takes the best jobs, and returns them in no order.
  taken.sort((a, b) => b.priority - a.priority || +a.createdOn - +b.createdOn);
  return taken.map(({ id, data, retryCount }) => ({ id, agent, ...data, attempt: retryCount }));
}

const attemptOf = ({ id, attempt }: Job) => ({ id, retryCount: attempt });

/** Ids of the jobs that a call had an effect on: every answer has them, and the types of pg-boss do not. */
const settledBy = (answer: object) => (answer as { settled: string[] }).settled;

function standingOf({ state, retryCount }: Pick<JobWithMetadata, 'state' | 'retryCount'>): JobStanding {
  if (state === 'active') return { state, attempt: retryCount };
  const isWaiting = state === 'created' || state === 'retry';
  return { state: isWaiting ? 'waiting' : 'over', attempt: retryCount };
}

function createEngine(options: PgBossOptions) {
  let opened: Promise<PgBoss> | null = null;
  let endWatch = () => {};
  const open = async (): Promise<PgBoss> => {
    try {
      const boss = await connectPgBoss(options);
      if (options.role === 'host') endWatch = watchHeartbeats(boss, options);
      return boss;
    } catch (error) {
      opened = null;
      throw error;
    }
  };
  return {
    async call<T>(act: (boss: PgBoss) => Promise<T>): Promise<T> {
      try {
        opened ??= open();
        return await act(await opened);
      } catch (error) {
        throw unreachable(error);
      }
    },
    async close() {
      const running = await opened?.catch(() => null);
      opened = null;
      endWatch();
      await running?.stop({ graceful: false, close: true }).catch(() => undefined);
    },
  };
}

/** Starts an engine. @throws what the driver says, RoomError `unavailable` where the package is missing */
export async function connectPgBoss({ url, role, onTrouble }: PgBossOptions): Promise<PgBoss> {
  const { PgBoss } = await load();
  const isHost = role === 'host';
  const boss = new PgBoss({
    connectionString: url,
    schema: SCHEMA,
    application_name: `taskroom ${role}`,
    max: isHost ? 6 : 2,
    connectionTimeoutMillis: 4_000,
    createSchema: isHost,
    migrate: isHost,
    // A look over all queues would delay watchHeartbeats, which asks for one queue at a time.
    supervise: false,
    schedule: false,
    monitorVacuum: false,
    monitorIntervalSeconds: 1,
    // Jobs that ended are removed this often.
    maintenanceIntervalSeconds: 300,
    // For the pool of `pg`, which has more settings than pg-boss names. Idle connections close after longer than a heartbeat,
    // so that a busy worker keeps its own.
    ...{ idleTimeoutMillis: 2_500, query_timeout: 8_000, keepAlive: true },
  });
  boss.on('error', (error) => onTrouble(unreachable(error)));
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
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    const hint =
      'install it beside taskroom: npm install pg-boss@12.35.0 (with -g where taskroom is installed so)';
    const message = 'a queue on PostgreSQL asks for the package pg-boss, which is not installed';
    throw new RoomError('unavailable', message, { cause: error, hint });
  }
}

/** What the driver says holds no password, but may be empty. */
export function unreachable(error: unknown): RoomError {
  if (error instanceof RoomError) return error;
  const { message, code } = error as { message?: string; code?: string };
  const why = message || code || String(error);
  return new RoomError('unavailable', `the queue on PostgreSQL can't be asked: ${why}`, {
    cause: error,
    hint: 'see that PostgreSQL runs, that this machine may reach it, and docs/scaling.md for what its role needs',
  });
}

const LOOK_MS = 1_000;
/** Queues are cared for one after another, each so long after the one before: jobs that ended long ago are removed. */
const CARE_EVERY_MS = 15_000;

/** Only reads: it asks for no flush of the disk, and touches the room's own tables only. */
const LATE = `SELECT DISTINCT name FROM ${SCHEMA}.job
  WHERE name = ANY (ARRAY(SELECT name FROM ${SCHEMA}.queue WHERE starts_with(name, $1))) AND state = 'active'
    AND heartbeat_on + heartbeat_seconds * interval '1 second' < ${SCHEMA}.job_now()`;

/** Has the engine take turns away from silent workers within a second. Returns a function that ends the watch. */
function watchHeartbeats(boss: PgBoss, { room, onFreed, onTrouble }: PgBossOptions): () => void {
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
      const beganMs = performance.now();
      await look().catch(
        (error) => signal.aborted || onTrouble(unreachable(error), performance.now() - beganMs),
      );
      await rest(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return () => closing.abort();
}
