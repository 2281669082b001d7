// What a worker takes next: it asks the host for news all the time, and the queue for jobs whenever there may be some and a slot
// is free. Trouble with either is told once until it is over.
import { type ErrorCode, isRoomError, RoomError } from '../../core/errors.ts';
import { type Effects, sleep } from '../../effects.ts';
import type { WorkQueue } from '../work-queue/pg-boss-queue.ts';
import type { Job } from '../work-queue/work-queue.ts';
import { MOST_WORKSPACES } from '../worker-protocol.ts';
import type { ActiveTurns } from './active-turns.ts';
import { type Host, WAIT_MS } from './host.ts';
import type { WorkerWorkspaces } from './workspace/worker-workspaces.ts';

export interface JobPollerOptions {
  effects: Effects;
  host: Host;
  queue: WorkQueue;
  hand: ActiveTurns;
  /** Turns at once. */
  slots: number;
  /** Agents that it can run. */
  agents: string[];
  /** Aborts when nothing new is to be taken. */
  ending: AbortController;
  workspaces: Pick<WorkerWorkspaces, 'tasks' | 'tidy'>;
  /** The room's agents are others: says hello anew, and resolves with those it can run. */
  introduce(): Promise<string[]>;
  say(line: string): void;
}

const AWAY_REST_MS = 500;
const LONGEST_REST_MS = 30_000;

export function createJobPoller(options: JobPollerOptions) {
  const { effects, host, hand, ending, slots } = options;
  const trouble = createComplaint(options);
  const versionTrouble = createComplaint(options);
  let refusals = 0;
  const free = () => Math.max(0, ending.signal.aborted ? 0 : slots - hand.count());
  const tidying = createTidying(options, trouble);
  let { agents } = options;
  let renew = new AbortController();
  let toldFree = 0;
  const fetching = createFetching(options, free, {
    // The host is told of a slot where it thinks that none is free, and nothing was there to fill it.
    onOver: () => void (toldFree === 0 && free() > 0 && renew.abort()),
    onTrouble: () => renew.abort(),
  });

  async function askForNews(signal: AbortSignal): Promise<void> {
    renew = new AbortController();
    const asked = AbortSignal.any([signal, renew.signal]);
    const broken = fetching.trouble();
    toldFree = broken === null ? free() : 0;
    try {
      const about = { free: toldFree, running: hand.list(), waitMs: WAIT_MS, ...tidying.toAsk() };
      const news = await host('wait', { ...about, ...(broken !== null && { trouble: broken }) }, asked);
      tidying.over(news.over);
      for (const stop of news.stop) hand.stop(stop);
      if (news.changed) agents = await options.introduce();
      trouble.over();
      refusals = 0;
      if (news.trouble !== undefined) versionTrouble.say(`takes no turns: ${news.trouble}`);
      if (news.work) fetching.soon(agents);
    } catch (error) {
      if (renew.signal.aborted || signal.aborted) return;
      if (isRoomError(error) && !PASSING.includes(error.code)) throw error;
      trouble.say(error);
      // A host of another version refuses the question itself: what runs goes on, and it is asked ever less often.
      refusals = isRoomError(error, 'bad_input') ? refusals + 1 : 0;
      await sleep(effects, Math.min(AWAY_REST_MS * 2 ** refusals, LONGEST_REST_MS), signal);
    }
  }

  return {
    /** A slot is free. */
    freed: () => fetching.soon(agents),
    /** Takes turns until `ending`. */
    async run() {
      while (!ending.signal.aborted) await askForNews(ending.signal);
      await fetching.settled();
    },
    /** Hears of stops until the controller is aborted. */
    listen(): AbortController {
      const over = new AbortController();
      void (async () => {
        while (!over.signal.aborted) await askForNews(over.signal).catch(() => over.abort());
      })();
      return over;
    },
  };
}

/** Of what is told of trouble, characters. */
const MOST_TROUBLE = 500;

const PASSING: readonly ErrorCode[] = ['unavailable', 'io', 'rate_limited', 'bad_input'];

const TIDY_EVERY_MS = 10 * 60_000;

/** Now and then asks of which tasks the workspaces are not needed any more. */
function createTidying(
  { workspaces, effects }: Pick<JobPollerOptions, 'workspaces' | 'effects'>,
  trouble: ReturnType<typeof createComplaint>,
) {
  let dueAt = effects.monotonicMs();
  return {
    toAsk: () =>
      effects.monotonicMs() < dueAt ? {} : { workspaces: workspaces.tasks().slice(0, MOST_WORKSPACES) },
    over(tasks: readonly string[] | undefined) {
      if (tasks === undefined || effects.monotonicMs() < dueAt) return;
      dueAt = effects.monotonicMs() + TIDY_EVERY_MS;
      if (tasks.length > 0) workspaces.tidy(tasks).catch(trouble.say);
    },
  };
}

/** Takes jobs while there are some and a slot is free; one at it at a time. */
function createFetching(
  { effects, queue, hand, ending, say }: JobPollerOptions,
  free: () => number,
  { onOver, onTrouble }: { onOver(): void; onTrouble(): void },
) {
  // A host that answers says nothing of the queue.
  const trouble = createComplaint({ say });
  let broken: string | null = null;
  let fetching: Promise<void> | null = null;
  async function fetchAll(agents: readonly string[]): Promise<void> {
    while (free() > 0) {
      const askedAt = effects.monotonicMs();
      const jobs: Job[] = await queue.fetch(agents, free());
      for (const job of jobs) hand.take(job, askedAt);
      trouble.over();
      const wasBroken = broken !== null;
      broken = null;
      if (wasBroken) onTrouble();
      if (jobs.length === 0) return;
    }
  }
  /** One that can't be asked is asked again ever less often, and the host is told: it offers nothing until then. */
  async function fetchJobs(agents: readonly string[]): Promise<void> {
    for (let restMs = AWAY_REST_MS; ; restMs = Math.min(restMs * 2, LONGEST_REST_MS)) {
      try {
        return await fetchAll(agents);
      } catch (error) {
        trouble.say(error);
        const wasBroken = broken !== null;
        broken = messageOf(error).slice(0, MOST_TROUBLE);
        if (!wasBroken) onTrouble();
        await sleep(effects, restMs, ending.signal);
        if (ending.signal.aborted) return;
      }
    }
  }
  return {
    trouble: () => broken,
    soon(agents: readonly string[]) {
      if (fetching === null && free() > 0)
        fetching = fetchJobs(agents).finally(() => {
          fetching = null;
          onOver();
        });
    },
    settled: async () => void (await fetching),
  };
}

/** The same trouble is told once until it is over. */
function createComplaint({ say }: Pick<JobPollerOptions, 'say'>) {
  let said = '';
  return {
    say(error: unknown) {
      const message = messageOf(error);
      if (message !== said) say(message);
      said = message;
    },
    over() {
      if (said !== '') say('it answers again');
      said = '';
    },
  };
}

export function messageOf(error: unknown): string {
  if (error instanceof RoomError)
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
