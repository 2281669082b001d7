// What can be wrong with the queue of a room and its workers: PostgreSQL, the host's role there, clocks, workers that are gone,
// and jobs that one side knows and the other does not.
import { isRoomError } from '../../core/errors.ts';
import { createDispatchedTable, type DispatchedRow } from '../../store/ledger/turns/jobs.ts';
import { keepRoomId } from '../../store/room-id.ts';
import type { Finding } from '../../tasks/room-handle.ts';
import type { WorkersJson } from '../../tasks/shapes/turn.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { readWorkers } from '../../tasks/workers/read-workers.ts';
import { examinePgBoss, type QueueExam } from '../work-queue/pg-boss-exam.ts';
import { queueAddress } from '../work-queue/queue-address.ts';

type Found = Omit<Finding, 'name'>;

/** Heartbeats are all by the clock of PostgreSQL: a difference is odd, and costs only what people compare. */
const FAR_MS = 5_000;

/** What pg-boss says of a database without its tables. */
const NO_TABLES = 'pg-boss is not installed';
const ok = (text: string): Found => ({ state: 'ok', text, hint: null });
const warn = (text: string, hint: string): Found => ({ state: 'warn', text, hint });
const fail = (text: string, hint: string | null): Found => ({ state: 'fail', text, hint });

const EMPTY = ok(
  'PostgreSQL answers, and holds nothing yet: the room makes its tables when the first worker comes',
);

export async function examineQueue(deps: TaskRoom): Promise<Found[]> {
  const workers = aboutWorkers(readWorkers(deps));
  try {
    const { room, ledger, effects } = deps;
    const url = queueAddress(deps.config().queue.postgres!, effects);
    const roomId = keepRoomId(room, ledger, effects);
    const exam = await examinePgBoss({ url, room: roomId, onTrouble: () => undefined }, effects);
    const known = createDispatchedTable(ledger.database).out();
    return [...aboutEngine(exam), ...aboutJobs(exam.jobs, known), ...workers];
  } catch (error) {
    if (!isRoomError(error)) throw error;
    if (error.message.includes(NO_TABLES)) return [EMPTY, ...workers];
    return [fail(error.message, error.hint ?? null), ...workers];
  }
}

function aboutEngine({ server, schema, tookMs, clockAheadMs, role }: QueueExam): Found[] {
  const found: Found[] = [
    ok(`PostgreSQL ${server} answers in ${tookMs.toFixed(0)} ms; tables of pg-boss at version ${schema}`),
  ];
  if (role.lacks.length > 0)
    found.push(
      fail(
        `the role ${role.name} lacks ${role.lacks.slice(0, 5).join(', ')}${role.lacks.length > 5 ? ', …' : ''}`,
        'docs/scaling.md has the statements that grant it',
      ),
    );
  if (!role.ownsTables)
    found.push(
      fail(
        `the role ${role.name} does not own the tables: it can't make the queue of a new agent`,
        'let the host connect as the role that made the schema taskroom',
      ),
    );
  if (role.isSuperuser)
    found.push(
      warn(
        `the role ${role.name} may do everything in that PostgreSQL`,
        'a role that owns the schema taskroom is enough: docs/scaling.md',
      ),
    );
  if (Math.abs(clockAheadMs) > FAR_MS)
    found.push(
      warn(
        `the clock of PostgreSQL is ${Math.round(Math.abs(clockAheadMs) / 1000)} s ${clockAheadMs > 0 ? 'ahead' : 'behind'}`,
        'turns are not lost by it; set the clocks by NTP',
      ),
    );
  return found;
}

function aboutJobs(jobs: QueueExam['jobs'], known: readonly DispatchedRow[]): Found[] {
  const held = new Set(jobs.map(({ id }) => id));
  const ours = new Set(known.map(({ job }) => job));
  const strange = jobs.filter(({ id }) => !ours.has(id)).length;
  // One that ended is on its way into the record.
  const lost = known.filter(({ job, ended }) => ended === null && !held.has(job)).length;
  const found: Found[] = [];
  if (strange > 0)
    found.push(
      warn(
        `${strange} of the jobs in PostgreSQL belong to no turn that runs`,
        'a worker that takes one is told so and lets it go: start one, or wait',
      ),
    );
  if (lost > 0)
    found.push(
      warn(
        `${lost} of the turns that run have no job in PostgreSQL any more`,
        'a running daemon records them as interrupted and tries them again: taskroom up',
      ),
    );
  return found;
}

function aboutWorkers({ workers, unserved }: WorkersJson): Found[] {
  const live = workers.filter(({ live }) => live);
  if (live.length === 0)
    return [
      warn(
        'no worker lives: nothing runs the turns of this room',
        'start one: taskroom worker --url … (docs/scaling.md)',
      ),
    ];
  const slots = live.reduce((sum, each) => sum + (each.trouble === null ? each.slots : 0), 0);
  const found: Found[] = [ok(`workers: ${live.map(({ name }) => name).join(', ')}; ${slots} slots`)];
  for (const { name, trouble } of live)
    if (trouble !== null)
      found.push(
        warn(
          `worker ${name} takes no turns: ${trouble}`,
          'mend it on that machine: it asks again by itself, or is started again',
        ),
      );
  for (const agent of unserved)
    found.push(
      warn(
        `no worker that lives can run the agent ${agent}`,
        `give one its program and keys, or start one: taskroom worker --url … --agents ${agent}`,
      ),
    );
  const versions = [...new Set(live.map(({ version }) => version))].sort();
  if (versions.length > 1)
    found.push(
      warn(
        `workers are of different versions: ${versions.join(', ')}`,
        "bring them to the version of the room's host",
      ),
    );
  return found;
}
