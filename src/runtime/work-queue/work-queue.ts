// Turns that may start, handed to workers on other machines: what the host and its workers ask of the engine between them.
// The engine alone says who has a turn: one job a thread, one attempt at a time, lost with its worker's heartbeat.

/** One turn as it was handed out. `attempt` counts from 0 and goes up each time somebody else gets it. */
export interface Job {
  /** UUID. */
  id: string;
  agent: string;
  turn: string;
  thread: string;
  attempt: number;
}

export interface NewJob extends Omit<Job, 'attempt'> {
  /** The higher, the sooner. */
  priority: number;
}

/** `waiting`: for a worker, the first or the next. `over`: completed, canceled, or given up after too many workers. */
export interface JobStanding {
  state: 'waiting' | 'active' | 'over';
  attempt: number;
}

export interface WorkQueue {
  /** Makes what the queues of these agents need. */
  prepare(agents: readonly string[]): Promise<void>;
  /**
   * Sends a turn; the same `id` again changes nothing. False while another job of its thread and agent is not over.
   * @throws RoomError `unavailable`, as every call
   */
  send(job: NewJob): Promise<boolean>;
  /** Takes up to `most` jobs of these agents: those of the highest priority first, then the oldest. */
  fetch(agents: readonly string[], most: number): Promise<Job[]>;
  /** Says that the workers of these jobs live; resolves with the ids of those that are still theirs. */
  touch(jobs: readonly Job[]): Promise<Set<string>>;
  /** Ends a job; false for an attempt that is not the one at work. */
  complete(job: Job): Promise<boolean>;
  /** Lets another worker have it at once; false for an attempt that is not the one at work. */
  giveBack(job: Job): Promise<boolean>;
  /** Ends a job whatever its attempt, also one that waits. */
  cancel(job: Pick<Job, 'id' | 'agent'>): Promise<void>;
  /** Null for one it does not know. */
  find(job: Pick<Job, 'id' | 'agent'>): Promise<JobStanding | null>;
  /** Resolves when it answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A worker that did not say for so long that it lives has lost its jobs. */
export const HEARTBEAT_SECONDS = 10;
/** How many workers may lose a turn before it is given up here; its task is tried again like any interrupted one. */
export const MOST_LOST = 20;
