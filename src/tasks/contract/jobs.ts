// Jobs: shell commands in the background.
import type { ThreadId, TurnId } from '../../core/ids.ts';
import type { JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { Actor } from '../task-room.ts';

export type { JobRecord } from '../../store/ledger/turns/jobs.ts';

export interface NewJob {
  /** Run by `sh -c` in the folder that the task's agent works in. */
  command: string;
  /** One line for people; the command when absent. */
  description?: string;
  /** It goes on when the turn that asks for it ends; its end then wakes the task. */
  keep?: boolean;
  /** Makes it a monitor: lines of its output that hold this are noted in the task. Several, with `|` between. */
  watch?: string;
}

export interface JobView extends JobRecord {
  /** Its own: it blocks no task's turn. */
  thread: ThreadId;
  /** Where its output lies, relative to the room. */
  outputPath: string;
}

export interface JobReading extends JobView {
  /** From the offset on: the text, the offset to go on from, and the bytes there are now. */
  output: { text: string; next: number; size: number };
}

export interface JobReadOptions {
  offset?: number;
  limit?: number;
  waitMs?: number;
  /** The turn that asks: its agent knows of the end of its own job then. */
  turn?: TurnId;
}

export interface JobOperations {
  /**
   * Starts a job of a task. It is on record, and pending, when this resolves.
   * @throws RoomError `unavailable` while nothing runs the room, `not_allowed` for an agent that may run no programs,
   *   `refused` when its agent has as many as it may, `bad_input`
   */
  startJob(ref: string, job: NewJob, actor: Actor): Promise<JobView>;
  /**
   * A job with its output from a byte offset on.
   * @param id or a unique prefix of it
   * @param options.waitMs resolves when it ended, or after so long
   */
  job(id: string, options?: JobReadOptions): Promise<JobReading>;
  /** Newest first; of one task when `ref` is given. */
  jobs(filter: { ref?: string }): Promise<JobView[]>;
  /** Ends a job: TERM, 5 s, KILL to its process group. @throws RoomError `refused` when it is over */
  stopJob(id: string, actor: Actor): Promise<JobView>;
}
