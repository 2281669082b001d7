// What a worker takes next: it asks the host for news all the time, and the queue for jobs when there may be some and a slot is free.
import { type ErrorCode, isRoomError } from '../../../core/errors.ts';
import type { Effects } from '../../../effects.ts';
import { MOST_WORKSPACES } from '../../worker-protocol.ts';
import type { WorkQueue } from '../queue/pg-boss-queue.ts';
import type { ActiveTurns } from './active-turns.ts';
import { createBackoff, type Host, messageOf, WAIT_MS } from './host.ts';
import type { WorkerWorkspaces } from './workspace/worker-workspaces.ts';

interface JobPollerOptions {
  effects: Effects;
  host: Host;
  queue: WorkQueue;
  turns: ActiveTurns;
  slots: number;
  agents: string[]; // Agents that the worker can run.
  ending: AbortController; // Aborts when nothing new is to be taken.
  workspaces: Pick<WorkerWorkspaces, 'tasks' | 'tidy'>;
  /** Greets the host again when the room's agents changed; resolves with those that run here. */
  introduce(): Promise<string[]>;
  say(line: string): void;
}

const AWAY_REST_MS = 500;
const LONGEST_REST_MS = 30_000;
const TIDY_EVERY_MS = 10 * 60_000; // The worker asks this often of which tasks it may remove the workspaces.
const MOST_TROUBLE = 500; // Characters of trouble with the queue that the host is told.
const PASSING: readonly ErrorCode[] = ['unavailable', 'io', 'rate_limited', 'bad_input'];

export function createJobPoller(options: JobPollerOptions) {
  const { effects, host, turns, ending, slots } = options;
  const complaint = createComplaint(options.say);
  const versionComplaint = createComplaint(options.say);
  const backoff = createBackoff(effects, AWAY_REST_MS, LONGEST_REST_MS);
  const free = () => (ending.signal.aborted ? 0 : Math.max(0, slots - turns.count()));
  let { agents } = options;
  let renew = new AbortController();
  let toldFree = 0;
  const tidying = createTidying(options, complaint.say);
  const fetching = createFetching(options, free, (isChange) => {
    // The host thinks that no slot is free, and no job filled the one that is.
    if (isChange || (toldFree === 0 && free() > 0)) renew.abort();
  });

  async function askForNews(signal: AbortSignal): Promise<void> {
    renew = new AbortController();
    const asked = AbortSignal.any([signal, renew.signal]);
    const trouble = fetching.trouble();
    toldFree = trouble === null ? free() : 0;
    try {
      const about = { free: toldFree, running: turns.list(), waitMs: WAIT_MS, ...tidying.question() };
      const news = await host('wait', { ...about, ...(trouble !== null && { trouble }) }, asked);
      tidying.over(news.over);
      for (const stop of news.stop) turns.stop(stop);
      if (news.changed) agents = await options.introduce();
      complaint.over();
      backoff.reset();
      if (news.trouble !== undefined) versionComplaint.say(`takes no turns: ${news.trouble}`);
      if (news.work) fetching.soon(agents);
    } catch (error) {
      if (asked.aborted) return;
      if (isRoomError(error) && !PASSING.includes(error.code)) throw error;
      complaint.say(error);
      // A host of another version refuses the call itself: it is asked less and less often, and what runs goes on.
      if (!isRoomError(error, 'bad_input')) backoff.reset();
      await backoff.rest(signal);
    }
  }

  return {
    freed: () => fetching.soon(agents), // A slot is free.
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

function createTidying({ workspaces, effects }: JobPollerOptions, onTrouble: (error: unknown) => void) {
  let dueAt = effects.monotonicMs();
  const isDue = () => effects.monotonicMs() >= dueAt;
  return {
    question: () => (isDue() ? { workspaces: workspaces.tasks().slice(0, MOST_WORKSPACES) } : {}),
    over(tasks: readonly string[] = []) {
      if (isDue()) dueAt = effects.monotonicMs() + TIDY_EVERY_MS;
      if (tasks.length > 0) workspaces.tidy(tasks).catch(onTrouble);
    },
  };
}

/** Takes jobs while there are some and a slot is free; one call at a time.
 * @param onNews true when the queue can't be asked any more, or can again; false when no jobs are left */
function createFetching(options: JobPollerOptions, free: () => number, onNews: (isChange: boolean) => void) {
  const { effects, queue, turns, ending, say } = options;
  const complaint = createComplaint(say);
  let trouble: string | null = null;
  let fetching: Promise<void> | null = null;
  function setTrouble(why: string | null): void {
    const isChange = (trouble === null) !== (why === null);
    trouble = why;
    if (isChange) onNews(true);
  }
  async function fetchJobs(agents: readonly string[]): Promise<void> {
    const backoff = createBackoff(effects, AWAY_REST_MS, LONGEST_REST_MS);
    while (free() > 0) {
      try {
        const askedAt = effects.monotonicMs();
        const jobs = await queue.fetch(agents, free());
        for (const job of jobs) turns.take(job, askedAt);
        complaint.over();
        setTrouble(null);
        if (jobs.length === 0) return;
      } catch (error) {
        complaint.say(error);
        setTrouble(messageOf(error).slice(0, MOST_TROUBLE));
        await backoff.rest(ending.signal);
      }
    }
  }
  return {
    trouble: () => trouble,
    soon(agents: readonly string[]) {
      if (fetching !== null || free() === 0) return;
      fetching = fetchJobs(agents).finally(() => {
        fetching = null;
        onNews(false);
      });
    },
    settled: async () => void (await fetching),
  };
}

/** Says the same trouble once until it is over. */
function createComplaint(say: (line: string) => void) {
  let last = '';
  return {
    say(error: unknown) {
      const message = typeof error === 'string' ? error : messageOf(error);
      if (message !== last) say(message);
      last = message;
    },
    over() {
      if (last !== '') say('it answers again');
      last = '';
    },
  };
}
