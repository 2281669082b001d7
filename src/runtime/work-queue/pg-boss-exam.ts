// What PostgreSQL says of itself to whoever looks for what is wrong: its version, the role, the clock, and the jobs it holds
// of one room. Reads, and changes nothing.
import type { Effects } from '../../effects.ts';
import { connectPgBoss, type PgBossOptions, SCHEMA, unreachable } from './pg-boss-connection.ts';

export interface QueueExam {
  /** `18.4`. */
  server: string;
  /** Of pg-boss's tables. */
  schema: number | null;
  /** Of one question and its answer. */
  tookMs: number;
  /** How far the clock of PostgreSQL is ahead of this one; negative behind. */
  clockAheadMs: number;
  role: {
    name: string;
    isSuperuser: boolean;
    /** May make the queues of new agents. */
    ownsTables: boolean;
    /** Rights it lacks: `UPDATE on job_common`. */
    lacks: string[];
  };
  /** Jobs of the room that are not over. */
  jobs: { id: string; agent: string; state: string }[];
}

const ABOUT = `SELECT current_setting('server_version') AS server, current_user AS name,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
  (SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class WHERE oid = '${SCHEMA}.job'::regclass) AS owns`;
const LACKS = `SELECT wanted || ' on ' || relname AS lack FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
  WHERE nspname = '${SCHEMA}' AND relkind IN ('r', 'p') AND NOT has_table_privilege(pg_class.oid, wanted) ORDER BY 1`;
const CLOCK = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now';
const JOBS = `SELECT id, substr(name, length($1) + 1) AS agent, state FROM ${SCHEMA}.job
  WHERE starts_with(name, $1) AND state < 'completed'`;

/** @throws RoomError `unavailable` */
export async function examinePgBoss(
  options: Omit<PgBossOptions, 'role'>,
  effects: Effects,
): Promise<QueueExam> {
  try {
    const boss = await connectPgBoss({ ...options, role: 'worker' });
    try {
      // biome-ignore lint/suspicious/noExplicitAny: rows as the statements above name them
      const ask = async (sql: string, values: unknown[] = []): Promise<any[]> =>
        (await boss.getDb().executeSql(sql, values)).rows;
      const [about] = await ask(ABOUT);
      const [before, askedAt] = [effects.now(), effects.monotonicMs()];
      const [clock] = await ask(CLOCK);
      const tookMs = effects.monotonicMs() - askedAt;
      const lacks = (await ask(LACKS)).map(({ lack }) => lack as string);
      return {
        ...{ server: about.server, schema: await boss.schemaVersion(), tookMs },
        clockAheadMs: Number(clock.now) - (before + tookMs / 2),
        role: { name: about.name, isSuperuser: about.superuser, ownsTables: about.owns, lacks },
        jobs: await ask(JOBS, [`${options.room}.`]),
      };
    } finally {
      await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    }
  } catch (error) {
    throw unreachable(error);
  }
}
