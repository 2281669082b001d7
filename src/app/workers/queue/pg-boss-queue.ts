// The queue of work on PostgreSQL, by pg-boss: a queue per room and agent, one job a thread (policy `exclusive`), heartbeats,
// and the attempt in every answer.
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { RoomError } from '../../../core/errors.ts';
import {
  connectPgBoss,
  type PgBossOptions,
  SCHEMA,
  unreachable,
  watchHeartbeats,
} from './pg-boss-connection.ts';
import { HEARTBEAT_SECONDS, type Job } from './work-queue.ts';

/** As long as it goes: how long a turn may take, its room says. */
const EXPIRE_SECONDS = 24 * 3600 - 1;
const KEEP_ENDED_SECONDS = 600;
/** How many workers may lose a turn before it is given up here; its task is tried again like any interrupted one. */
const MOST_LOST = 20;

export interface NewJob extends Omit<Job, 'attempt'> {
  /** The higher, the sooner. */
  priority: number;
}

/** `waiting`: for a worker, the first or the next. `over`: completed, canceled, or given up after too many workers. */
interface JobStanding {
  state: 'waiting' | 'active' | 'over';
  attempt: number;
}

type JobData = Pick<Job, 'turn' | 'thread'>;

export type WorkQueue = ReturnType<typeof createPgBossQueue>;

/** Connects with the first call, and anew with a later one where that failed. @throws RoomError `unavailable`, as every call */
export function createPgBossQueue(options: PgBossOptions) {
  const engine = createEngine(options);
  const { call, nameOf } = engine;
  const made = new Map<string, Promise<void>>();
  const makeQueue = async (agent: string) => {
    try {
      await call((boss) => boss.createQueue(nameOf(agent), QUEUE));
    } catch (error) {
      made.delete(agent);
      throw error;
    }
  };
  // A hundred workers that come at once ask for it once.
  const prepare = async (agents: readonly string[]) => {
    for (const agent of agents) {
      const making = made.get(agent) ?? makeQueue(agent);
      made.set(agent, making);
      await making;
    }
  };
  const batched = createBatched(engine);
  const find = ({ id, agent }: Pick<Job, 'id' | 'agent'>) => batched.find(agent, id);
  return {
    /** Makes what the queues of these agents need. */
    prepare,
    /** Sends a turn; the same `id` again changes nothing. False while another job of its thread and agent is not over. */
    async send(job: NewJob) {
      await prepare([job.agent]);
      // Not taken also for one that was sent before.
      return (await batched.send(job.agent, job)) || (await find(job)) !== null;
    },
    /** Takes up to `most` jobs of these agents: those of the highest priority first, then the oldest. */
    fetch: (agents: readonly string[], most: number) => fetchJobs(engine, agents, most),
    /** Says that the workers of these jobs live; resolves with the ids of those that are still theirs. */
    touch: (jobs: readonly Job[]) => touchJobs(engine, jobs),
    /** Ends a job; false for an attempt that is not the one at work. */
    complete: (job: Job) => batched.complete(job.agent, job),
    /** Lets another worker have it at once; false for an attempt that is not the one at work. */
    giveBack: (job: Job) =>
      call(async (boss) => settledBy(await boss.fail(nameOf(job.agent), [attemptOf(job)])).has(job.id)),
    /** Ends a job whatever its attempt, also one that waits. */
    cancel: ({ id, agent }: Pick<Job, 'id' | 'agent'>) =>
      call(async (boss) => void (await boss.cancel(nameOf(agent), id))),
    /** Null for one it does not know. */
    find,
    /** Resolves when it answers. */
    ping: () => call(async (boss) => void (await boss.getDb().executeSql('SELECT 1'))),
    close: engine.close,
  };
}

const MOST_AT_ONCE = 200;

/** What very many turns ask for at once is one statement: each commits on its own, durably. */
function createBatched({ call, nameOf }: Engine) {
  const send = async (agent: string, jobs: readonly NewJob[]): Promise<boolean[]> => {
    const once = [...new Map(jobs.map((job) => [job.id, job])).values()];
    const rows = once.map(({ id, turn, thread, priority }) => {
      const data: JobData = { turn, thread };
      return { id, data, priority, singletonKey: thread };
    });
    const sent = new Set(await call((boss) => boss.insert(nameOf(agent), rows, { returnId: true })));
    return jobs.map(({ id }) => sent.has(id));
  };
  const complete = async (agent: string, jobs: readonly Job[]): Promise<boolean[]> => {
    // An answer names jobs alone: of two attempts at one it would not say which.
    const isTold = new Set(jobs.map(({ id }) => id)).size === jobs.length;
    const calls = isTold ? [jobs] : jobs.map((job) => [job]);
    const answers: boolean[] = [];
    for (const own of calls) {
      const settled = settledBy(await call((boss) => boss.complete(nameOf(agent), own.map(attemptOf))));
      answers.push(...own.map(({ id }) => settled.has(id)));
    }
    return answers;
  };
  const find = async (agent: string, ids: readonly string[]): Promise<(JobStanding | null)[]> => {
    const { rows } = await call((boss) => boss.getDb().executeSql(FIND, [nameOf(agent), [...new Set(ids)]]));
    const found = new Map((rows as JobRow[]).map((row) => [row.id, standingOf(row)]));
    return ids.map((id) => found.get(id) ?? null);
  };
  return { send: byAgent(send), complete: byAgent(complete), find: byAgent(find) };
}

function byAgent<Item, Answer>(run: (agent: string, items: Item[]) => Promise<readonly Answer[]>) {
  const batches = new Map<string, (item: Item) => Promise<Answer>>();
  return (agent: string, item: Item): Promise<Answer> => {
    const known = batches.get(agent) ?? createBatches((items: Item[]) => run(agent, items), MOST_AT_ONCE);
    batches.set(agent, known);
    return known(item);
  };
}

type Engine = ReturnType<typeof createEngine>;

function createEngine(options: PgBossOptions) {
  let opened: Promise<PgBoss> | null = null;
  let endWatch = () => {};
  const open = async (): Promise<PgBoss> => {
    const boss = await connectPgBoss(options);
    if (options.role === 'host') endWatch = watchHeartbeats(boss, options);
    return boss;
  };
  const boss = (): Promise<PgBoss> => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    nameOf: (agent: string) => `${options.room}.${agent}`,
    /** @throws RoomError `unavailable` */
    async call<T>(act: (boss: PgBoss) => Promise<T>): Promise<T> {
      try {
        return await act(await boss());
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

async function fetchJobs({ call, nameOf }: Engine, agents: readonly string[], most: number): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const agent of agents) {
    const left = most - jobs.length;
    if (left <= 0) break;
    const how = { batchSize: left, includeMetadata: true } as const;
    const taken = await call((boss) => boss.fetch<JobData>(nameOf(agent), how));
    // The best are taken, in no order.
    taken.sort((a, b) => b.priority - a.priority || +a.createdOn - +b.createdOn);
    for (const { id, data, retryCount } of taken) jobs.push({ id, agent, ...data, attempt: retryCount });
  }
  return jobs;
}

async function touchJobs({ call, nameOf }: Engine, jobs: readonly Job[]): Promise<Set<string>> {
  const alive = new Set<string>();
  for (const [agent, own] of Map.groupBy(jobs, (job) => job.agent)) {
    const answer = await call((boss) => boss.touch(nameOf(agent), own.map(attemptOf)));
    for (const id of settledBy(answer)) alive.add(id);
  }
  return alive;
}

const attemptOf = ({ id, attempt }: Job) => ({ id, retryCount: attempt });

/** The jobs that a call was good for, which every answer says and the types do not. */
function settledBy(answer: object): Set<string> {
  return new Set((answer as { settled: string[] }).settled);
}

const QUEUE = {
  policy: 'exclusive',
  partition: true,
  retryLimit: MOST_LOST,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: EXPIRE_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: KEEP_ENDED_SECONDS,
} as const;

const FIND = `SELECT id, state, retry_count AS "retryCount" FROM ${SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[])`;
type JobRow = Pick<JobWithMetadata, 'id' | 'state' | 'retryCount'>;

function standingOf({ state, retryCount }: JobRow): JobStanding {
  if (state === 'active') return { state, attempt: retryCount };
  const isWaiting = state === 'created' || state === 'retry';
  return { state: isWaiting ? 'waiting' : 'over', attempt: retryCount };
}

/**
 * @param run carries out one or more of them; resolves with an answer each, in order
 * @param most of them at once
 * @returns asks for one; rejects with what `run` rejected with
 */
export function createBatches<Item, Answer>(
  run: (items: Item[]) => Promise<readonly Answer[]>,
  most: number,
): (item: Item) => Promise<Answer> {
  const pending: { item: Item; answer: PromiseWithResolvers<Answer> }[] = [];
  let isRunning = false;
  async function runAll(): Promise<void> {
    isRunning = true;
    // What is asked for in the same turn of the event loop goes together.
    await Promise.resolve();
    while (pending.length > 0) {
      const batch = pending.splice(0, most);
      try {
        const answers = await run(batch.map(({ item }) => item));
        for (const [at, { answer }] of batch.entries()) answer.resolve(answers[at]!);
      } catch (error) {
        for (const { answer } of batch) answer.reject(error);
      }
    }
    isRunning = false;
  }
  return (item) => {
    const answer = Promise.withResolvers<Answer>();
    pending.push({ item, answer });
    if (!isRunning) void runAll();
    return answer.promise;
  };
}
