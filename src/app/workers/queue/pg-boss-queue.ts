// The queue of turns on PostgreSQL, by pg-boss: a queue for each room and agent, one job a thread (policy `exclusive`), heartbeats,
// and the attempt in every answer. The engine alone says who has a turn: one attempt at a time, lost with its worker's heartbeat.
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { RoomError } from '../../../core/errors.ts';
import {
  connectPgBoss,
  type PgBossOptions,
  SCHEMA,
  unreachable,
  watchHeartbeats,
} from './pg-boss-connection.ts';

/** One turn as it was handed out. `attempt` counts from 0 and goes up each time somebody else gets it. */
export interface Job {
  /** UUID. */
  id: string;
  agent: string;
  turn: string;
  thread: string;
  attempt: number;
}

/** A worker that did not say for so long that it lives has lost its jobs. */
export const HEARTBEAT_SECONDS = 10;

/** @param priority the higher, the sooner */
type NewJob = Omit<Job, 'attempt'> & { priority: number };
type JobName = Pick<Job, 'id' | 'agent'>;

/** `waiting`: for a worker, the first or the next. `over`: completed, canceled, or given up after too many workers. */
interface JobStanding {
  state: 'waiting' | 'active' | 'over';
  attempt: number;
}

const QUEUE = {
  policy: 'exclusive',
  partition: true,
  /** How many workers may lose a turn before it is given up here; its task is tried again like any interrupted one. */
  retryLimit: 20,
  retryDelay: 0,
  retryBackoff: false,
  /** The longest that pg-boss allows: the room says how long a turn may take. */
  expireInSeconds: 24 * 3600 - 1,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: 600,
} as const;

const FIND = `SELECT state, retry_count AS "retryCount" FROM ${SCHEMA}.job WHERE name = $1 AND id = $2`;

export type WorkQueue = ReturnType<typeof createPgBossQueue>;

/** Connects with the first call, and anew with a later one where that failed. @throws RoomError `unavailable`, as every call */
export function createPgBossQueue(options: PgBossOptions) {
  const { call, close } = createEngine(options);
  const nameOf = (agent: string) => `${options.room}.${agent}`;
  const made = new Map<string, Promise<void>>();
  const makeQueue = (agent: string) =>
    call((boss) => boss.createQueue(nameOf(agent), QUEUE)).catch((error: unknown) => {
      made.delete(agent);
      throw error;
    });
  // A hundred workers that come at once share one call.
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
    /** Makes what the queues of these agents need. */
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
    fetch: (agents: readonly string[], most: number) => call((boss) => fetchJobs(boss, nameOf, agents, most)),
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
    /** Null for one it does not know. */
    find,
    /** Resolves when it answers. */
    ping: () => call(async (boss) => void (await boss.getDb().executeSql('SELECT 1'))),
    close,
  };
}

async function fetchJobs(
  boss: PgBoss,
  nameOf: (agent: string) => string,
  agents: readonly string[],
  most: number,
): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const agent of agents) {
    const left = most - jobs.length;
    if (left <= 0) break;
    const how = { batchSize: left, includeMetadata: true } as const;
    const taken = await boss.fetch<Pick<Job, 'turn' | 'thread'>>(nameOf(agent), how);
    // pg-boss takes the best jobs, and returns them in no order.
    taken.sort((a, b) => b.priority - a.priority || +a.createdOn - +b.createdOn);
    for (const { id, data, retryCount } of taken) jobs.push({ id, agent, ...data, attempt: retryCount });
  }
  return jobs;
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
    /** @throws RoomError `unavailable` */
    async call<T>(act: (boss: PgBoss) => Promise<T>): Promise<T> {
      try {
        opened ??= open();
        return await act(await opened);
      } catch (error) {
        throw error instanceof RoomError ? error : unreachable(error);
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

const attemptOf = ({ id, attempt }: Job) => ({ id, retryCount: attempt });

/** Ids of the jobs that a call had an effect on, which every answer names and the types of pg-boss do not. */
const settledBy = (answer: object) => (answer as { settled: string[] }).settled;

function standingOf({ state, retryCount }: Pick<JobWithMetadata, 'state' | 'retryCount'>): JobStanding {
  if (state === 'active') return { state, attempt: retryCount };
  const isWaiting = state === 'created' || state === 'retry';
  return { state: isWaiting ? 'waiting' : 'over', attempt: retryCount };
}
