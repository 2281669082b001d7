// Turns that are asked for and not started: one request a thread, so that asking again joins the one that waits.
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Origin } from '../../../core/rules/dispatch.ts';
import { flag, initially, integer, json, optional, type RowOf, table, text } from '../table.ts';

export const REQUESTS = table(
  'requests',
  {
    thread: text<ThreadId>(),
    /** That its turn gets; another where what runs it in the end is of another kind. */
    id: initially(text<TurnId>(), '' as TurnId),
    origin: text<Origin>(),
    agent: text(),
    reasons: json<Wake[]>(),
    priority: integer(), // 0 high, 1 medium, 2 low.
    askedAt: integer(),
    forced: flag(), // Run although paused, blocked, draft or consumed.
    /** A person, another task or a trusted remote caused it, not the thread's own last turn or the heartbeat. */
    outside: flag(),
  },
  {
    order: 'rank, priority, asked_at, thread',
    indexes: { requests_in_order: '(rank, priority, asked_at, thread)' },
    apart: { rank: integer() },
  },
);

export type PendingTurn = RowOf<typeof REQUESTS>;
export type TurnRequest = Omit<PendingTurn, 'id'> & Partial<Pick<PendingTurn, 'id'>>;

/** What may not be started now; of the rest the best comes first. */
export interface ClaimFilter {
  fullOrigins: readonly Origin[];
  fullAgents: readonly string[];
  /** Agents that wait for the end of a usage limit: none of their turns starts, but of threads that were let pass. */
  limitedAgents?: readonly string[];
  spentAgents?: readonly string[]; // Agents whose budget is used up: of theirs only what is forced starts.
  onlyForced?: boolean; // The room's budget is: only what is forced starts at all.
  busyThreads: readonly ThreadId[]; // Threads that are taken though no turn of theirs is on record yet.
}

const RANK: Record<Origin, number> = { chat: 0, task: 1, chore: 2 };
const ORIGINS_IN_ORDER = Object.keys(RANK) as Origin[];

const NEXT_OF_RANK = `WHERE rank = ? AND agent NOT IN (SELECT value FROM json_each(?))
    AND (forced = 1 OR (agent NOT IN (SELECT value FROM json_each(?)) AND NOT ?))
    AND (agent NOT IN (SELECT value FROM json_each(?)) OR thread IN (SELECT thread FROM let_pass))
    AND thread NOT IN (SELECT value FROM json_each(?)) AND thread NOT IN (SELECT thread FROM turns WHERE state = 'running')
  ORDER BY priority, asked_at, thread LIMIT 1`;

export const requests = REQUESTS.with((rows, db) => ({
  /** Adds a request or joins it to the one of its thread: reasons add up, the better origin, the higher priority and `forced` win. */
  add: (request: TurnRequest): void =>
    db.transaction(() => {
      const { thread, agent, origin, priority, forced, outside } = request;
      const known = rows.get(thread);
      const reasons = [...new Set([...(known?.reasons ?? []), ...request.reasons])];
      const best = known !== null && RANK[known.origin] <= RANK[origin] ? known.origin : origin;
      const rank = { origin: best, rank: RANK[best] };
      if (known === null) return void rows.insert({ ...request, reasons, ...rank });
      rows.update(thread, {
        ...{ agent, reasons, ...rank, priority: Math.min(known.priority, priority) },
        ...{ forced: known.forced || forced, outside: known.outside || outside },
      });
    }),
  /** The best request whose thread has no running turn: origin, then priority, then age (T12). */
  next(filter: ClaimFilter): PendingTurn | null {
    const { fullOrigins, fullAgents, busyThreads, limitedAgents = [], spentAgents = [] } = filter;
    const [full, spent, limited, busy] = [fullAgents, spentAgents, limitedAgents, busyThreads].map((list) =>
      JSON.stringify(list),
    );
    const lists = [full!, spent!, Number(filter.onlyForced ?? false), limited!, busy!];
    // Origin by origin, so that those at their limit cost nothing however much waits there.
    for (const origin of ORIGINS_IN_ORDER) {
      if (fullOrigins.includes(origin)) continue;
      const request = rows.first(NEXT_OF_RANK, RANK[origin], ...lists);
      if (request !== null) return request;
    }
    return null;
  },
}));

/** Agents whose turns wait for the end of a usage limit, or for their account to be paid. */
export const LIMIT_WAITS = table(
  'limit_waits',
  {
    agent: text(),
    since: integer(),
    until: integer(),
    times: integer(),
    /** The agent's words where only the person can end the wait: its account must be paid. */
    said: optional(text()),
  },
  { order: 'agent' },
);
/** Threads that a person asked to try all the same: their next turn may begin although its agent waits. */
export const LET_PASS = table('let_pass', { thread: text<ThreadId>() });

/** Waits that are over stay until a turn of the agent shows that they are. */
export const limitWaits = LIMIT_WAITS.with((rows, db) => ({
  /** With the last wait nothing is left to try all the same. */
  clear(agent: string): void {
    if (rows.delete(agent) && !rows.has()) db.run('DELETE FROM let_pass');
  },
}));

export const letPass = LET_PASS.with();

/** The session of each agent on each thread: an agent that takes over another's turn neither gets nor replaces that one's. */
export const SESSIONS = table(
  'sessions',
  {
    thread: text<ThreadId>(),
    agent: text(),
    /** By its id the agent resumes what it did. */ session: text(),
  },
  { key: ['thread', 'agent'] },
);

export const sessions = SESSIONS.with((rows) => ({
  set(thread: ThreadId, agent: string, session: string | null): void {
    if (session === null) rows.delete(thread, agent);
    else rows.put({ thread, agent, session });
  },
}));

/** Keys of what agents asked for, where a file's entries can't tell that it was done. */
export const IDEMPOTENCY_KEYS = table('asked', { key: text(), at: integer() });

export const idempotencyKeys = IDEMPOTENCY_KEYS.with((rows) => ({
  /** True the first time; false when it was done already. To be called in the transaction of what the key asks for. */
  take: (key: string, at: number) => rows.insertNew({ key, at }),
  prune: (beforeMs: number) => rows.deleteAll('WHERE at < ?', beforeMs),
}));
