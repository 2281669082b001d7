// Turns that are asked for and not started: one request a thread, so that asking again joins the one that waits.
import type { Origin } from '../../../core/config/room-config.ts';
import type { ThreadId, TurnId } from '../../../core/ids.ts';
import type { Wake } from '../../../core/rules/decide.ts';
import type { Database, Row } from '../database.ts';

export interface TurnRequest {
  /** That its turn gets; another where what runs it in the end is of another kind, or where this is left out. */
  id?: TurnId;
  thread: ThreadId;
  origin: Origin;
  agent: string;
  reasons: Wake[];
  /** 0 high, 1 medium, 2 low. */
  priority: number;
  /** Epoch ms. */
  askedAt: number;
  /** Run although paused, blocked, draft or consumed. */
  forced: boolean;
  /** True when a person, another task or a trusted remote caused it, not the thread's own last turn or the heartbeat. */
  outside: boolean;
}

/** One that is on record. */
export type PendingTurn = TurnRequest & { id: TurnId };

/** What may not be started now; of the rest the best comes first. */
export interface ClaimFilter {
  fullOrigins: readonly Origin[];
  fullAgents: readonly string[];
  /** Agents that wait for the end of a usage limit: none of their turns starts, but of threads that were let pass. */
  limitedAgents?: readonly string[];
  /** Agents whose budget is used up: of theirs only what is forced starts. */
  spentAgents?: readonly string[];
  /** The room's budget is: only what is forced starts at all. */
  onlyForced?: boolean;
  /** Threads that are taken though no turn of theirs is on record yet. */
  busyThreads: readonly ThreadId[];
}

export interface RequestsTable {
  /** Adds a request or joins it to the one of its thread: reasons add up, the better origin, the higher priority and `forced` win. */
  add(request: TurnRequest): void;
  get(thread: ThreadId): PendingTurn | null;
  byPrefix(prefix: string, limit: number): PendingTurn[];
  count(): number;
  /** In the order they would start. */
  list(limit: number): PendingTurn[];
  /** False when there was none. */
  drop(thread: ThreadId): boolean;
  /** The best request whose thread has no running turn: origin, then priority, then age (T12). */
  next(filter: ClaimFilter): TurnRequest | null;
}

const RANK: Record<Origin, number> = { chat: 0, task: 1, chore: 2 };
const ORIGINS_IN_ORDER: readonly Origin[] = ['chat', 'task', 'chore'];

const SELECT =
  'SELECT id, thread, origin, agent, reasons, priority, asked_at AS askedAt, forced, outside FROM requests';

const UPSERT = `INSERT INTO requests(id, thread, origin, agent, reasons, rank, priority, asked_at, forced, outside)
  VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(thread) DO UPDATE SET agent = excluded.agent, reasons = excluded.reasons,
    origin = CASE WHEN excluded.rank < rank THEN excluded.origin ELSE origin END, rank = min(rank, excluded.rank),
    priority = min(priority, excluded.priority), forced = max(forced, excluded.forced), outside = max(outside, excluded.outside)`;

const NEXT_OF_RANK = `${SELECT}
  WHERE rank = ? AND agent NOT IN (SELECT value FROM json_each(?))
    AND (forced = 1 OR (agent NOT IN (SELECT value FROM json_each(?)) AND NOT ?))
    AND (agent NOT IN (SELECT value FROM json_each(?)) OR thread IN (SELECT thread FROM let_pass))
    AND thread NOT IN (SELECT value FROM json_each(?)) AND thread NOT IN (SELECT thread FROM turns WHERE state = 'running')
  ORDER BY priority, asked_at, thread LIMIT 1`;

function requestOf(row: Row): PendingTurn {
  const fields = {
    reasons: JSON.parse(row.reasons as string),
    forced: row.forced === 1,
    outside: row.outside === 1,
  };
  return { ...row, ...fields } as unknown as PendingTurn;
}

export function createRequestsTable(db: Database): RequestsTable {
  const one = (sql: string, ...values: (string | number)[]): PendingTurn | null => {
    const row = db.prepare(sql).get(...values) as Row | undefined;
    return row ? requestOf(row) : null;
  };
  const get = (thread: ThreadId) => one(`${SELECT} WHERE thread = ?`, thread);
  return {
    get,
    add({ id = '' as TurnId, thread, origin, agent, reasons, priority, askedAt, forced, outside }) {
      db.transaction(() => {
        const all = JSON.stringify([...new Set([...(get(thread)?.reasons ?? []), ...reasons])]);
        const flags = [Number(forced), Number(outside)];
        db.prepare(UPSERT).run(id, thread, origin, agent, all, RANK[origin], priority, askedAt, ...flags);
      });
    },
    byPrefix: (prefix, limit) =>
      (
        db
          .prepare(`${SELECT} WHERE id >= ? AND id < ? LIMIT ?`)
          .all(prefix, `${prefix}\uffff`, limit) as Row[]
      ).map(requestOf),
    count: () => Number((db.prepare('SELECT count(*) AS n FROM requests').get() as Row).n),
    list(limit) {
      const sql = `${SELECT} ORDER BY rank, priority, asked_at, thread LIMIT ?`;
      return (db.prepare(sql).all(limit) as Row[]).map(requestOf);
    },
    drop: (thread) => db.prepare('DELETE FROM requests WHERE thread = ?').run(thread).changes === 1,
    next({ fullOrigins, fullAgents, busyThreads, limitedAgents = [], spentAgents = [], onlyForced = false }) {
      // Origin by origin, so that those at their limit cost nothing however much waits there.
      const [full, spent, limited, busy] = [fullAgents, spentAgents, limitedAgents, busyThreads].map((list) =>
        JSON.stringify(list),
      );
      const lists = [full!, spent!, Number(onlyForced), limited!, busy!];
      for (const origin of ORIGINS_IN_ORDER) {
        if (fullOrigins.includes(origin)) continue;
        const request = one(NEXT_OF_RANK, RANK[origin], ...lists);
        if (request) return request;
      }
      return null;
    },
  };
}
