// Jobs: shell commands that agents run in the background (B2, B5, B7). A job is on record before it starts; its output lies
// in a folder of its own beside those of turns. Terminal states are final.
import type { TaskId, TurnId } from '../../../core/ids.ts';
import type { TurnState } from '../../../core/rules/turn.ts';
import type { Database, Row } from '../database.ts';

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
export interface JobRecord {
  id: TurnId;
  kind: 'job' | 'monitor';
  task: TaskId;
  /** The turn that asked for it; null for a person. */
  turn: TurnId | null;
  agent: string;
  command: string;
  description: string;
  /** It goes on when its turn ends. */
  keep: boolean;
  /** What a monitor looks for in its output, see `matchesWatch`; null for a job. */
  watch: string | null;
  state: TurnState;
  reason: JobReason | null;
  askedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** How long the machine slept meanwhile. */
  pausedMs: number;
  exitCode: number | null;
  signal: string | null;
  pid: number | null;
  message: string | null;
  /** The call that asked for it. */
  toolCall: string | null;
  /** Its agent was told of its end. */
  told: boolean;
  /** Bytes of the output that a monitor has looked through, and lines it reported. */
  watched: number;
  reported: number;
  /** It is to be ended, for this. */
  stop: JobReason | null;
}

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

export interface JobEnd {
  state: 'completed' | 'failed' | 'killed';
  reason: JobReason;
  exitCode: number | null;
  signal: string | null;
  message: string;
  endedAt: number;
  pausedMs: number;
}

export interface JobsTable {
  add(job: NewJobRow): void;
  get(id: string): JobRecord | null;
  byPrefix(prefix: string, limit: number): JobRecord[];
  byToolCall(toolCall: string): JobRecord | null;
  /** Newest first, at most 100. */
  list(filter: { task?: string }): JobRecord[];
  /** Pending and running ones, oldest first. */
  active(): JobRecord[];
  /** Ended ones of a task that its agent was not told of, oldest first. */
  untold(task: string): JobRecord[];
  setStarted(id: TurnId, startedAt: number): void;
  setPid(id: TurnId, pid: number | null): void;
  setWatched(id: TurnId, watched: number, reported: number): void;
  askToStop(id: TurnId, reason: JobReason): void;
  setTold(ids: readonly TurnId[]): void;
  /** False when it had ended before. */
  end(id: TurnId, end: JobEnd): boolean;
  /** Removes rows of jobs that ended before then; returns their ids. */
  prune(beforeMs: number): TurnId[];
}

const SELECT = `SELECT id, kind, task, turn, agent, command, description, keep, watch, state, reason, asked_at AS askedAt,
  started_at AS startedAt, ended_at AS endedAt, paused_ms AS pausedMs, exit_code AS exitCode, signal, pid, message,
  tool_call AS toolCall, told, watched, reported, stop FROM jobs`;
const ADD = `INSERT INTO jobs(id, kind, task, turn, agent, command, description, keep, watch, asked_at, tool_call, state)
  VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`;
const END = `UPDATE jobs SET state = ?, reason = ?, exit_code = ?, signal = ?, message = ?, ended_at = ?, paused_ms = ?
  WHERE id = ? AND state IN ('pending', 'running')`;
const ACTIVE = `${SELECT} WHERE state IN ('pending', 'running') ORDER BY asked_at, id`;
const UNTOLD = `${SELECT} WHERE task = ? AND told = 0 AND state NOT IN ('pending', 'running') ORDER BY ended_at, id`;

function jobOf(row: Row): JobRecord {
  return { ...row, keep: row.keep === 1, told: row.told === 1 } as unknown as JobRecord;
}

export function createJobsTable(db: Database): JobsTable {
  const jobs = (sql: string, ...values: (string | number)[]) =>
    (db.prepare(sql).all(...values) as Row[]).map(jobOf);
  return {
    add({ id, kind, task, turn, agent, command, description, keep, watch, askedAt, toolCall }) {
      const what = [command, description, Number(keep), watch, Math.trunc(askedAt), toolCall];
      db.prepare(ADD).run(id, kind, task, turn, agent, ...what);
    },
    get: (id) => jobs(`${SELECT} WHERE id = ?`, id)[0] ?? null,
    byPrefix: (prefix, limit) =>
      jobs(`${SELECT} WHERE id >= ? AND id < ? LIMIT ?`, prefix, `${prefix}\uffff`, limit),
    byToolCall: (toolCall) => jobs(`${SELECT} WHERE tool_call = ?`, toolCall)[0] ?? null,
    list({ task }) {
      const newest = 'ORDER BY asked_at DESC, id LIMIT 100';
      return task === undefined
        ? jobs(`${SELECT} ${newest}`)
        : jobs(`${SELECT} WHERE task = ? ${newest}`, task);
    },
    active: () => jobs(ACTIVE),
    untold: (task) => jobs(UNTOLD, task),
    setStarted(id, startedAt) {
      const sql = `UPDATE jobs SET state = 'running', started_at = ? WHERE id = ? AND state = 'pending'`;
      db.prepare(sql).run(Math.trunc(startedAt), id);
    },
    setPid: (id, pid) => void db.prepare('UPDATE jobs SET pid = ? WHERE id = ?').run(pid, id),
    setWatched(id, watched, reported) {
      db.prepare('UPDATE jobs SET watched = ?, reported = ? WHERE id = ?').run(watched, reported, id);
    },
    askToStop(id, reason) {
      const sql = `UPDATE jobs SET stop = ? WHERE id = ? AND stop IS NULL AND state IN ('pending', 'running')`;
      db.prepare(sql).run(reason, id);
    },
    setTold(ids) {
      db.transaction(() => {
        for (const id of ids) db.prepare('UPDATE jobs SET told = 1 WHERE id = ?').run(id);
      });
    },
    end(id, { state, reason, exitCode, signal, message, endedAt, pausedMs }) {
      const values = [state, reason, exitCode, signal, message, Math.trunc(endedAt), Math.trunc(pausedMs)];
      return db.prepare(END).run(...values, id).changes === 1;
    },
    prune: (beforeMs) =>
      (db.prepare('DELETE FROM jobs WHERE ended_at < ? RETURNING id').all(Math.trunc(beforeMs)) as Row[]).map(
        ({ id }) => id as TurnId,
      ),
  };
}
