// What a turn can be and why it ended.

/** B1: terminal states are final. A pending turn is a request, and on no record of turns. */
export type TurnState = 'pending' | 'running' | 'completed' | 'failed' | 'killed';

export function isOver(state: TurnState): boolean {
  return state !== 'pending' && state !== 'running';
}

/** Why a turn ended, distinct from its state. */
export type TurnReason =
  | 'ok' // completed
  | 'nothing_written' // failed: it ended by itself and reported nothing on its task
  | 'checks_failed' // its task's file says done, and a check failed: the done does not count
  | 'exit' // failed: the program ended with another code than 0, or could not start
  | 'refused' // failed: the runner can't do this task as it stands; the task is paused with the message
  | 'timed_out'
  | 'stalled'
  | 'output_limit'
  | 'rate_limited' // failed: its agent's usage limit was reached; its turns wait for the end of that
  | 'budget' // failed: stopped when a budget was used up
  | 'interrupted' // failed: the runtime stopped or died, or the process vanished without an end; tried again
  | 'person' // killed by a person
  | 'paused' // killed because the task was paused or blocked
  | 'canceled' // killed because the task was canceled or its file is gone
  | 'done'; // ended because the task was done

/** What a turn's agent said it used, in all. */
export interface TurnUsage {
  inputTokens: number;
  outputTokens: number;
  /** US dollars; null where the agent does not tell. */
  costUsd: number | null;
}
