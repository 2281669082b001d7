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

/** A worker that did not say for so long that it lives has lost its jobs. */
export const HEARTBEAT_SECONDS = 10;
