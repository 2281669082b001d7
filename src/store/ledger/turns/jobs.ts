// Jobs: shell commands that agents run in the background (B2, B5, B7). A job is on record before it starts; its output lies
// in a folder of its own beside those of turns. Terminal states are final.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { TurnState } from '../../../core/rules/turn.ts';
import type { Database } from '../database.ts';
import {
  flag,
  initially,
  integer,
  json,
  type NewRowOf,
  optional,
  type RowOf,
  table,
  text,
  unique,
} from '../table.ts';

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
    add: (job: Omit<NewRowOf<typeof JOBS>, 'state'>) => jobs.insert({ ...job, state: 'pending' }),
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

// The workspace of each task that has one: where it lies, on which branch, and how far its making came. A row is written
// before anything is made, so that what a crash leaves is found.

export const WORKSPACES = table('workspaces', {
  task: text<TaskId>(),
  agent: text(),
  /** Absolute paths. */
  project: text(),
  path: text(),
  /** Folder inside it that the agent works in; '' for all of it. */
  prefix: text(),
  branch: text(),
  /** Commit that the branch began at. */
  base: text(),
  /** `making`: nobody worked there yet; `made`: its `after_create` has not passed; `ready`. */
  state: text<'making' | 'made' | 'ready'>(),
  /** Its turns run on other machines: here is only the branch, as it came back last. */
  elsewhere: initially(flag(), false),
  /** Epoch ms. */
  createdAt: integer(),
  /** Why it was kept when its task was archived; null otherwise. */
  kept: optional(text()),
  /** Its address; '' when there was nothing to hand over, null while there is none. */
  pullRequest: optional(text()),
});

export type WorkspaceRow = RowOf<typeof WORKSPACES>;
export type WorkspacesTable = ReturnType<typeof createWorkspacesTable>;

const UNPUBLISHED = `WHERE pull_request IS NULL AND task IN (SELECT m.task FROM mirrors m JOIN tasks t ON t.id = m.task
  WHERE m.chore = ? AND m.state <> 'detached' AND t.status = 'done') ORDER BY created_at`;
const OF_ARCHIVED = 'WHERE task IN (SELECT id FROM tasks WHERE archived IS NOT NULL AND path IS NULL)';

export function createWorkspacesTable(db: Database) {
  const workspaces = WORKSPACES.in(db);
  return {
    get: (task: string) => workspaces.get(task),
    put: (row: WorkspaceRow) => workspaces.put(row),
    update: (task: string, change: Partial<WorkspaceRow>): void => void workspaces.update(task, change),
    delete: (task: string): void => void workspaces.delete(task),
    list: () => workspaces.all('ORDER BY created_at'),
    /** Those whose task lies in the archive. */
    ofArchived: () => workspaces.all(OF_ARCHIVED),
    /** Those of tasks of a chore's mirror that are done and were not handed over yet. */
    unpublished: (chore: string) => workspaces.all(UNPUBLISHED, chore),
  };
}

// Turns that were sent to workers: the job each is in the queue, who has it at which attempt, which reports of that attempt
// were applied, and how the worker said it ended.

export const DISPATCHED = table('dispatched', {
  turn: text(),
  /** UUID of its job. */
  job: text(),
  /** Null until somebody claimed it. */
  attempt: optional(integer()),
  /** Id of the worker that has it now; null while it waits. */
  worker: optional(text()),
  /** How many reports of this attempt were applied. */
  applied: initially(integer(), 0),
  /** Answers to the last of them, JSON. */
  answers: optional(text()),
  /** The outcome that the worker told, JSON. */
  ended: optional(text()),
});

export const WORKERS = table('workers', {
  id: text(),
  name: text(),
  /** Id of the token it came with. */
  token: text(),
  version: text(),
  slots: integer(),
  /** What it can run. */
  agents: json<string[]>(),
  startedAt: integer(),
  seenAt: integer(),
  /** When its request for news was cut off; null while it is heard of. */
  goneAt: optional(integer()),
  /** Why it is offered nothing; null for nothing. */
  trouble: optional(text()),
});

export type DispatchedRow = RowOf<typeof DISPATCHED>;
export type WorkerRow = RowOf<typeof WORKERS>;
export type DispatchedTable = ReturnType<typeof createDispatchedTable>;
export type WorkersTable = ReturnType<typeof createWorkersTable>;

const OUT = `SELECT ${DISPATCHED.columns('dispatched')} FROM dispatched JOIN turns ON turns.id = turn
  WHERE state = 'running' ORDER BY turn`;

export function createDispatchedTable(db: Database) {
  const dispatched = DISPATCHED.in(db);
  return {
    ...dispatched,
    add: (turn: string, job: string) =>
      dispatched.put({ turn, job, attempt: null, worker: null, applied: 0, answers: null, ended: null }),
    /** An attempt begins: nothing of it is applied yet. */
    claim: (turn: string, attempt: number, worker: string): void =>
      void dispatched.update(turn, { attempt, worker, applied: 0, answers: null }),
    /** Turns that run. */
    out: () => db.rows<DispatchedRow>(OUT),
    /** Removes what belongs to no turn any more. */
    prune: () => dispatched.deleteAll('WHERE turn NOT IN (SELECT id FROM turns)'),
  };
}

export function createWorkersTable(db: Database) {
  const workers = WORKERS.in(db);
  return {
    ...workers,
    /** By name. */
    list: () => workers.all('').sort((a, b) => (a.name + a.id < b.name + b.id ? -1 : 1)),
    /** Removes those that were not seen since. */
    prune: (beforeMs: number) => workers.deleteAll('WHERE seen_at < ?', Math.trunc(beforeMs)),
  };
}
