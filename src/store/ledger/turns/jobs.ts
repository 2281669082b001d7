// Jobs: shell commands that agents run in the background (B2, B5, B7). A job is on record before it starts; its output lies
// in a folder of its own beside those of turns. Terminal states are final.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { TurnState } from '../../../core/rules/turn.ts';
import type { Database } from '../database.ts';
import { flag, initially, integer, optional, type RowOf, table, text, unique } from '../table.ts';

/** Why a job ended. */
export type JobReason =
  | 'ok' // completed
  | 'exit' // failed: it ended with another code than 0, or could not start
  | 'timed_out'
  | 'output_limit'
  | 'interrupted' // failed: its process vanished without an end
  | 'person' // killed by a person, or by an agent of its task
  | 'turn_over' // killed: the turn that asked for it ended
  | 'canceled'; // killed: its task was canceled or is gone

/** Times are epoch ms. */
export const JOBS = table(
  'jobs',
  {
    id: text<TurnId>(),
    kind: text<'job' | 'monitor'>(),
    task: text<TaskId>(),
    /** The turn that asked for it; null for a person. */
    turn: optional(text<TurnId>()),
    agent: text(),
    command: text(),
    description: text(),
    /** It goes on when its turn ends. */
    keep: flag(),
    /** What a monitor looks for in its output, see `matchesWatch`; null for a job. */
    watch: optional(text()),
    state: text<TurnState>(),
    reason: optional(text<JobReason>()),
    askedAt: integer(),
    startedAt: optional(integer()),
    endedAt: optional(integer()),
    /** How long the machine slept meanwhile. */
    pausedMs: initially(integer(), 0),
    exitCode: optional(integer()),
    signal: optional(text()),
    pid: optional(integer()),
    message: optional(text()),
    /** The call that asked for it. */
    toolCall: optional(unique(text())),
    /** Its agent was told of its end. */
    told: initially(flag(), false),
    /** Bytes of the output that a monitor has looked through, and lines it reported. */
    watched: initially(integer(), 0),
    reported: initially(integer(), 0),
    /** It is to be ended, for this. */
    stop: optional(text<JobReason>()),
  },
  {
    indexes: {
      jobs_active: "(asked_at) WHERE state IN ('pending', 'running')",
      jobs_by_task: '(task, asked_at)',
    },
  },
);

export type JobRecord = RowOf<typeof JOBS>;

export type NewJobRow = Pick<
  JobRecord,
  | 'id'
  | 'kind'
  | 'task'
  | 'turn'
  | 'agent'
  | 'command'
  | 'description'
  | 'keep'
  | 'watch'
  | 'askedAt'
  | 'toolCall'
>;

export type JobEnd = Pick<JobRecord, 'exitCode' | 'signal' | 'pausedMs'> & {
  state: 'completed' | 'failed' | 'killed';
  reason: JobReason;
  message: string;
  endedAt: number;
};

const IS_ACTIVE = "state IN ('pending', 'running')";
const NEWEST = 'ORDER BY asked_at DESC, id LIMIT 100';

export function createJobsTable(db: Database) {
  const jobs = JOBS.in(db);
  return {
    ...jobs,
    add: (job: NewJobRow) => jobs.insert({ ...job, state: 'pending' }),
    byPrefix: (prefix: string, limit: number) =>
      jobs.all('WHERE id >= ? AND id < ? LIMIT ?', prefix, `${prefix}\uffff`, limit),
    byToolCall: (toolCall: string) => jobs.first('WHERE tool_call = ?', toolCall),
    /** Newest first, at most 100. */
    list: ({ task }: { task?: string }) =>
      task === undefined ? jobs.all(NEWEST) : jobs.all(`WHERE task = ? ${NEWEST}`, task),
    /** Pending and running ones, oldest first. */
    active: () => jobs.all(`WHERE ${IS_ACTIVE} ORDER BY asked_at, id`),
    /** Ended ones of a task that its agent was not told of, oldest first. */
    untold: (task: string) =>
      jobs.all(`WHERE task = ? AND told = 0 AND NOT ${IS_ACTIVE} ORDER BY ended_at, id`, task),
    setStarted: (id: TurnId, startedAt: number) =>
      jobs.update(id, { state: 'running', startedAt }, "state = 'pending'"),
    askToStop: (id: TurnId, stop: JobReason) => jobs.update(id, { stop }, `stop IS NULL AND ${IS_ACTIVE}`),
    setTold: (ids: readonly TurnId[]) =>
      db.transaction(() => {
        for (const id of ids) jobs.update(id, { told: true });
      }),
    /** False when it had ended before. */
    end: (id: TurnId, end: JobEnd) => jobs.update(id, end, IS_ACTIVE),
    /** Removes rows of jobs that ended before then; returns their ids. */
    prune: (beforeMs: number) =>
      db.column<TurnId>('DELETE FROM jobs WHERE ended_at < ? RETURNING id', Math.trunc(beforeMs)),
  };
}
