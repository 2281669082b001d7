// The host's watch over its workers' heartbeats. The engine takes turns away from silent workers, and it is asked to the moment
// that there are some; its care for all else goes queue by queue, seldom, so that it is never in the way of that.
import { setTimeout as rest } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { SCHEMA } from './pg-boss-connection.ts';

export interface HeartbeatWatchOptions {
  /** The room's id. */
  room: string;
  /** Turns of that agent wait for the next worker. */
  onFreed?: ((agent: string) => void) | undefined;
  onTrouble(error: unknown): void;
}

const LOOK_MS = 1_000;
/** Between two queues that are cared for: jobs that ended long ago are removed. */
const CARE_EVERY_MS = 15_000;

/** Read alone: it asks for no flush of the disk, and touches the room's own tables only. */
const LATE = `SELECT DISTINCT name FROM ${SCHEMA}.job
  WHERE name = ANY (ARRAY(SELECT name FROM ${SCHEMA}.queue WHERE starts_with(name, $1))) AND state = 'active'
    AND heartbeat_on + heartbeat_seconds * interval '1 second' < ${SCHEMA}.job_now()`;

/** Watches until it is closed. */
export function watchHeartbeats(
  boss: PgBoss,
  { room, onFreed, onTrouble }: HeartbeatWatchOptions,
): { close(): void } {
  const closing = new AbortController();
  const prefix = `${room}.`;
  const care = createCare(boss, prefix);
  async function look(): Promise<void> {
    const { rows } = await boss.getDb().executeSql(LATE, [prefix]);
    for (const { name } of rows as { name: string }[]) {
      await boss.supervise(name);
      onFreed?.(name.slice(prefix.length));
    }
    if (rows.length === 0) await care();
  }
  void (async () => {
    while (!closing.signal.aborted) {
      await look().catch((error) => closing.signal.aborted || onTrouble(error));
      await rest(LOOK_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  })();
  return { close: () => closing.abort() };
}

/** Cares for the next queue of the room, when it is time to. */
function createCare(boss: PgBoss, prefix: string): () => Promise<void> {
  let caredAt = performance.now();
  let names: string[] = [];
  return async () => {
    if (performance.now() - caredAt < CARE_EVERY_MS) return;
    caredAt = performance.now();
    if (names.length === 0) {
      const queues = await boss.getQueues();
      names = queues.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    }
    const next = names.pop();
    if (next !== undefined) await boss.supervise(next);
  };
}
