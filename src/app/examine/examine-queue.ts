// Examines the queue of a room and its workers: PostgreSQL, the host's role there, clocks, workers, and jobs that only one side knows.
import { isRoomError } from '../../core/errors.ts';
import type { Effects } from '../../effects.ts';
import { keepRoomId } from '../../store/files/room-id.ts';
import type { DispatchedRow } from '../../store/ledger/turns/jobs.ts';
import type { WorkersJson } from '../../tasks/shapes/turn.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { readWorkers } from '../../tasks/views/agents.ts';
import { connectPgBoss, type PgBossOptions, SCHEMA, unreachable } from '../workers/queue/pg-boss-queue.ts';
import { queueAddress } from '../workers/queue/queue-address.ts';
import type { Found } from './examine-mirrors.ts';

type QueueExam = Awaited<ReturnType<typeof examinePgBoss>>;

const ABOUT = `SELECT current_setting('server_version') AS server, current_user AS name,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
  (SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_class WHERE oid = '${SCHEMA}.job'::regclass) AS owns`;
const LACKS = `SELECT wanted || ' on ' || relname AS lack FROM pg_class
  JOIN pg_namespace ON pg_namespace.oid = relnamespace, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
  WHERE nspname = '${SCHEMA}' AND relkind IN ('r', 'p') AND NOT has_table_privilege(pg_class.oid, wanted) ORDER BY 1`;
const CLOCK = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now';
const JOBS = `SELECT id, substr(name, length($1) + 1) AS agent, state FROM ${SCHEMA}.job
  WHERE starts_with(name, $1) AND state < 'completed'`;

/** What PostgreSQL says of itself; changes nothing. @throws RoomError `unavailable` */
export async function examinePgBoss(options: Omit<PgBossOptions, 'role'>, effects: Effects) {
  try {
    const boss = await connectPgBoss({ ...options, role: 'worker' });
    try {
      const ask = async (sql: string, values: unknown[] = []) =>
        (await boss.getDb().executeSql(sql, values)).rows;
      const [about] = await ask(ABOUT);
      const [before, askedAt] = [effects.now(), effects.monotonicMs()];
      const [clock] = await ask(CLOCK);
      const tookMs = effects.monotonicMs() - askedAt;
      const lacks = (await ask(LACKS)).map(({ lack }) => lack as string);
      return {
        server: about.server as string,
        schema: await boss.schemaVersion(),
        tookMs,
        /** Negative when the clock of PostgreSQL is behind this one. */
        clockAheadMs: Number(clock.now) - (before + tookMs / 2),
        role: {
          ...{ name: about.name as string, isSuperuser: about.superuser as boolean, lacks },
          ownsTables: about.owns as boolean, // May make the queues of new agents.
        },
        /** Jobs of the room that are not over. */
        jobs: (await ask(JOBS, [`${options.room}.`])) as { id: string; agent: string; state: string }[],
      };
    } finally {
      await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    }
  } catch (error) {
    throw unreachable(error);
  }
}

/** Heartbeats all use the clock of PostgreSQL: a difference confuses only people who compare times. */
const FAR_MS = 5_000;
const NO_TABLES = 'pg-boss is not installed'; // What pg-boss says of a database without its tables.
const ok = (text: string): Found => ({ state: 'ok', text, hint: null });
const warn = (text: string, hint: string): Found => ({ state: 'warn', text, hint });
const fail = (text: string, hint: string | null): Found => ({ state: 'fail', text, hint });
const found = (all: readonly (Found | false)[]): Found[] => all.filter((each) => each !== false);

export async function examineQueue(deps: TaskRoom): Promise<Found[]> {
  const workers = aboutWorkers(readWorkers(deps));
  try {
    const { room, ledger, effects } = deps;
    const url = queueAddress(deps.config().queue.postgres!, effects);
    const roomId = keepRoomId(room, ledger, effects);
    const exam = await examinePgBoss({ url, room: roomId, onTrouble: () => undefined }, effects);
    return [...aboutEngine(exam), ...aboutJobs(exam.jobs, ledger.dispatched.out()), ...workers];
  } catch (error) {
    if (!isRoomError(error)) throw error;
    if (!error.message.includes(NO_TABLES)) return [fail(error.message, error.hint ?? null), ...workers];
    const empty =
      'PostgreSQL answers, and holds nothing yet: the room makes its tables when the first worker comes';
    return [ok(empty), ...workers];
  }
}

function aboutEngine({ server, schema, tookMs, clockAheadMs, role }: QueueExam): Found[] {
  const { name, lacks, ownsTables, isSuperuser } = role;
  const lacking = `${lacks.slice(0, 5).join(', ')}${lacks.length > 5 ? ', …' : ''}`;
  const apart = `${Math.round(Math.abs(clockAheadMs) / 1000)} s ${clockAheadMs > 0 ? 'ahead' : 'behind'}`;
  return found([
    ok(`PostgreSQL ${server} answers in ${tookMs.toFixed(0)} ms; tables of pg-boss at version ${schema}`),
    lacks.length > 0 &&
      fail(`the role ${name} lacks ${lacking}`, 'docs/scaling.md has the statements that grant it'),
    !ownsTables &&
      fail(
        `the role ${name} does not own the tables: it can't make the queue of a new agent`,
        'let the host connect as the role that made the schema taskroom',
      ),
    isSuperuser &&
      warn(
        `the role ${name} may do everything in that PostgreSQL`,
        'a role that owns the schema taskroom is enough: docs/scaling.md',
      ),
    Math.abs(clockAheadMs) > FAR_MS &&
      warn(`the clock of PostgreSQL is ${apart}`, 'turns are not lost by it; set the clocks by NTP'),
  ]);
}

function aboutJobs(jobs: QueueExam['jobs'], known: readonly DispatchedRow[]): Found[] {
  const held = new Set(jobs.map(({ id }) => id));
  const ours = new Set(known.map(({ job }) => job));
  const strange = jobs.filter(({ id }) => !ours.has(id)).length;
  // A turn that ended is on its way into the record.
  const lost = known.filter(({ job, ended }) => ended === null && !held.has(job)).length;
  return found([
    strange > 0 &&
      warn(
        `${strange} of the jobs in PostgreSQL belong to no turn that runs`,
        'a worker that takes one is told so and lets it go: start one, or wait',
      ),
    lost > 0 &&
      warn(
        `${lost} of the turns that run have no job in PostgreSQL any more`,
        'a running daemon records them as interrupted and tries them again: taskroom up',
      ),
  ]);
}

function aboutWorkers({ workers, unserved }: WorkersJson): Found[] {
  const live = workers.filter(({ live }) => live);
  const start = 'start one: taskroom worker --url';
  if (live.length === 0)
    return [warn('no worker lives: nothing runs the turns of this room', `${start} … (docs/scaling.md)`)];
  const slots = live.reduce((sum, each) => sum + (each.trouble === null ? each.slots : 0), 0);
  const versions = [...new Set(live.map(({ version }) => version))].sort();
  return found([
    ok(`workers: ${live.map(({ name }) => name).join(', ')}; ${slots} slots`),
    ...live.map(
      ({ name, trouble }) =>
        trouble !== null &&
        warn(
          `worker ${name} takes no turns: ${trouble}`,
          'mend it on that machine: it asks again by itself, or is started again',
        ),
    ),
    ...unserved.map((agent) =>
      warn(
        `no worker that lives can run the agent ${agent}`,
        `give one its program and keys, or ${start} … --agents ${agent}`,
      ),
    ),
    versions.length > 1 &&
      warn(
        `workers are of different versions: ${versions.join(', ')}`,
        "bring them to the version of the room's host",
      ),
  ]);
}
