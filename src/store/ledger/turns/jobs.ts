// Jobs: shell commands that agents run in the background (B2, B5, B7), on record before they start; the workspaces of tasks;
// and turns on other machines, with the workers that take them. Times are epoch ms.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { TurnState } from '../../../core/rules/turn.ts';
import type { NewRowOf, RowOf } from '../table.ts';
import { flag, initially, integer, json, optional, table, text, unique } from '../table.ts';
import type { TurnEnd } from './turns.ts';

export type JobReason =
  | 'ok' // completed
  | 'exit' // failed: it ended with another code than 0, or could not start
  | 'timed_out'
  | 'output_limit'
  | 'interrupted' // failed: its process vanished without an end
  | 'person' // killed by a person, or by an agent of its task
  | 'turn_over' // killed: the turn that asked for it ended
  | 'canceled'; // killed: its task was canceled or is gone

/** Its output lies in a folder of its own beside those of turns. Terminal states are final. */
export const JOBS = table(
  'jobs',
  {
    id: text<TurnId>(),
    kind: text<'job' | 'monitor'>(),
    task: text<TaskId>(),
    turn: optional(text<TurnId>()), // The turn that asked for it; null for a person.
    agent: text(),
    command: text(),
    description: text(),
    keep: flag(), // It goes on when its turn ends.
    watch: optional(text()), // What a monitor looks for in its output, see `matchesWatch`; null for a job.
    state: text<TurnState>(),
    reason: optional(text<JobReason>()),
    askedAt: integer(),
    startedAt: optional(integer()),
    endedAt: optional(integer()),
    pausedMs: initially(integer(), 0), // How long the machine slept meanwhile.
    exitCode: optional(integer()),
    signal: optional(text()),
    pid: optional(integer()),
    message: optional(text()),
    toolCall: optional(unique(text())),
    told: initially(flag(), false),
    /** Bytes of the output that a monitor has looked through, and lines it reported. */
    watched: initially(integer(), 0),
    reported: initially(integer(), 0),
    stop: optional(text<JobReason>()), // It is to be ended, for this.
  },
  {
    indexes: {
      jobs_active: "(asked_at) WHERE state IN ('pending', 'running')",
      jobs_by_task: '(task, asked_at)',
    },
  },
);

export type JobRecord = RowOf<typeof JOBS>;

export interface JobEnd extends Pick<TurnEnd, 'state' | 'exitCode' | 'signal' | 'message' | 'endedAt'> {
  reason: JobReason;
  pausedMs: number;
}

const IS_ACTIVE = "state IN ('pending', 'running')";
const NEWEST = 'ORDER BY asked_at DESC, id LIMIT 100';

export const jobs = JOBS.with((rows, db) => ({
  add: (job: Omit<NewRowOf<typeof JOBS>, 'state'>) => rows.insert({ ...job, state: 'pending' }),
  list: ({ task }: { task?: string }) =>
    task === undefined ? rows.all(NEWEST) : rows.all(`WHERE task = ? ${NEWEST}`, task),
  active: () => rows.all(`WHERE ${IS_ACTIVE} ORDER BY asked_at, id`),
  /** Ended ones of a task that its agent was not told of, oldest first. */
  untold: (task: string) =>
    rows.all(`WHERE task = ? AND told = 0 AND NOT ${IS_ACTIVE} ORDER BY ended_at, id`, task),
  setStarted: (id: TurnId, startedAt: number) =>
    rows.update(id, { state: 'running', startedAt }, "state = 'pending'"),
  askToStop: (id: TurnId, stop: JobReason) => rows.update(id, { stop }, `stop IS NULL AND ${IS_ACTIVE}`),
  end: (id: TurnId, end: JobEnd) => rows.update(id, end, IS_ACTIVE),
  prune: (beforeMs: number) =>
    db.column<TurnId>('DELETE FROM jobs WHERE ended_at < ? RETURNING id', beforeMs),
}));

/** The worktrees of each task that has a workspace. A row is written before anything is made, so that what a crash leaves is found. */
export const WORKSPACES = table(
  'workspaces',
  {
    task: text<TaskId>(),
    name: text(), // Its folder in a workspace of several repositories; '' where the workspace is this one worktree.
    agent: text(),
    project: text(),
    address: optional(text()), // What the project is a copy of; null for one that lies on this machine.
    path: text(),
    prefix: text(), // Folder inside the workspace that the agent works in; '' for all of it.
    branch: text(),
    base: text(), // Commit that the branch began at.
    onto: optional(text()), // What was named for that, such as a branch; null for the project's own.
    /** `making`: nobody worked there yet; `made`: its `after_create` has not passed; `ready`. */
    state: text<'making' | 'made' | 'ready'>(),
    /** Its turns run on other machines: here is only the branch, as it came back last. */
    remote: initially(flag(), false),
    createdAt: integer(),
    kept: optional(text()), // Why it was kept when its task was archived; null otherwise.
  },
  { key: ['task', 'name'], order: 'created_at, task, name' },
);

export type WorkspaceRow = RowOf<typeof WORKSPACES>;

const NO_PULL = `NOT EXISTS (SELECT 1 FROM pulls p WHERE p.task = workspaces.task AND p.name = workspaces.name)`;

const UNPUBLISHED = `WHERE ${NO_PULL} AND task IN (SELECT m.task FROM mirrors m JOIN tasks t ON t.id = m.task
  WHERE m.chore = ? AND m.state <> 'detached' AND t.status = 'done') ORDER BY created_at`;

const DONE = `WHERE agent IN (SELECT value FROM json_each(?)) AND ${NO_PULL}
  AND task IN (SELECT id FROM tasks WHERE status = 'done' AND path IS NOT NULL AND finished_at >= ?) ORDER BY created_at`;

export const workspaces = WORKSPACES.with((rows) => ({
  of: (task: string) => rows.all({ task }),
  ofArchived: () =>
    rows.all(
      'WHERE task IN (SELECT id FROM tasks WHERE archived IS NOT NULL AND path IS NULL) ORDER BY task, name',
    ),
  /** Those without a pull request, of tasks of a chore's mirror that are done. */
  unpublished: (chore: string) => rows.all(UNPUBLISHED, chore),
  withoutPull: (task: string) => rows.all(`WHERE task = ? AND ${NO_PULL} ORDER BY name`, task),
  /** The same of these agents, of tasks that were done since. */
  justDone: (agents: readonly string[], sinceMs: number) => rows.all(DONE, JSON.stringify(agents), sinceMs),
}));

/** Turns that were sent to workers. */
export const DISPATCHED = table('dispatched', {
  turn: text(),
  job: text(),
  attempt: optional(integer()),
  worker: optional(text()), // Id of the worker that has it now; null while it waits.
  applied: initially(integer(), 0), // How many reports of this attempt were applied.
  answers: optional(text()),
  ended: optional(text()),
});

export const WORKERS = table(
  'workers',
  {
    id: text(),
    name: text(),
    token: text(),
    version: text(),
    slots: integer(),
    agents: json<string[]>(),
    startedAt: integer(),
    seenAt: integer(),
    goneAt: optional(integer()), // When its request for news was cut off; null while it is heard of.
    trouble: optional(text()), // Why it is offered nothing; null for nothing.
  },
  { order: 'name, id' },
);

export type DispatchedRow = RowOf<typeof DISPATCHED>;
export type WorkerRow = RowOf<typeof WORKERS>;

const OUT = `SELECT ${DISPATCHED.columns('dispatched')} FROM dispatched JOIN turns ON turns.id = turn
  WHERE state = 'running' ORDER BY turn`;

export const dispatched = DISPATCHED.with((rows, db) => ({
  add: (turn: string, job: string) =>
    rows.put({ turn, job, attempt: null, worker: null, applied: 0, answers: null, ended: null }),
  /** An attempt begins: nothing of it is applied yet. */
  claim: (turn: string, attempt: number, worker: string): void =>
    void rows.update(turn, { attempt, worker, applied: 0, answers: null }),
  out: () => db.rows<DispatchedRow>(OUT),
  /** Removes what belongs to no turn any more. */
  prune: () => rows.deleteAll('WHERE turn NOT IN (SELECT id FROM turns)'),
}));

export const workers = WORKERS.with((rows) => ({
  prune: (beforeMs: number) => rows.deleteAll('WHERE seen_at < ?', beforeMs),
}));
