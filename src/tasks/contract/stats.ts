// How much was done: tasks by status, agent and sprint, and what each week brought.
import type { Spent } from '../../core/rules/budget.ts';
import type { Status } from '../../core/task/status.ts';

/** Tasks of a group: those in tasks/ by status, and finished ones that were archived. */
export interface TaskCounts {
  /** Drafts too. */
  open: number;
  done: number;
  canceled: number;
}

/** Turns of a time, and what they used. */
export interface TurnCounts extends Spent {
  /** Of those, the ones that failed. */
  failed: number;
}

/** Syncs of a time, those that failed among them, and the requests they took. */
export interface SyncCounts {
  syncs: number;
  failed: number;
  requests: number;
}

export interface Stats {
  /** Files in tasks/. */
  status: Record<Status, number>;
  /** Finished tasks that were archived or deleted since, as the history tells. */
  archived: number;
  /** By owner; a task without one counts for the default agent. `turns` are those of the weeks below. */
  agents: { agent: string; tasks: TaskCounts; turns: TurnCounts }[];
  /** In alphabetical order; tasks without a sprint come last, as null. */
  sprints: { sprint: string | null; tasks: TaskCounts }[];
  /** The oldest first, weeks without anything too. A task that was finished twice counts twice. */
  weeks: {
    week: string;
    from: string;
    done: number;
    canceled: number;
    turns: TurnCounts;
    /** With trackers. A day belongs to the week in which it begins, in UTC. */
    sync: SyncCounts;
  }[];
}

export interface StatsOperations {
  /**
   * Counts.
   * @param options.weeks how many weeks back, this one included; 8 when absent. Turns are known as long as their folders
   *   are kept.
   * @throws RoomError `bad_input`, `room_gone`, `io`
   */
  stats(options?: { weeks?: number }): Promise<Stats>;
}
