// What a turn can be and why it ended.

/** B1: terminal states are final. A pending turn is a request, and on no record of turns. */
export const TURN_STATES = ['pending', 'running', 'completed', 'failed', 'killed'] as const;
export type TurnState = (typeof TURN_STATES)[number];

export const isOver = (state: TurnState): boolean => state !== 'pending' && state !== 'running';

/** Why a turn ended, distinct from its state. */
export type TurnReason =
  | 'ok' // completed
  | 'nothing_written' // failed: it ended by itself and reported nothing on its task
  | 'checks_failed' // its task's file says done, and a check failed: the done does not count
  | 'exit' // failed: the program ended with another code than 0, or could not start
  | 'not_started' // failed: its program, its folder or a variable is not there: no attempt, and nothing of a budget
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

/** Ends of turns in which no work was done: no budget counts them. */
export const NO_WORK: ReadonlySet<string> = new Set<TurnReason>(['rate_limited', 'refused', 'not_started']);

/** The total that the turn's agent reported to have used. */
export interface TurnUsage {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | null; // US dollars; null where the agent does not tell.
}

// What a coding agent tells while it works, whichever program it is: the one form that its outcome is judged by and that people read.

/** What keeps an agent from working; each kind needs another remedy. */
export type TroubleKind =
  | 'credentials'
  /** Nothing left to pay with. */
  | 'credits'
  | 'model'
  | 'network'
  /** Its provider has too much to do. */
  | 'overload'
  | 'context'
  | 'session'
  | 'limit'
  /** Its model's answer was cut off or kept back. */
  | 'answer'
  | 'other';

export interface AgentTrouble {
  kind: TroubleKind;
  message: string; // The agent's own words, one line.
  until: number | null; // With `limit`: when it ends, epoch ms; null where the agent did not say.
}

export type AgentEvent =
  | { type: 'session'; id: string }
  /** Words of the agent; a `partial` one goes on in the next. */
  | { type: 'text'; text: string; partial?: boolean }
  /** A tool is called; `input` is one line. */
  | { type: 'tool'; name: string; input: string }
  | { type: 'result'; text: string; failed: boolean }
  /** All that was used so far in this turn. */
  | { type: 'usage'; usage: TurnUsage }
  /** Something went wrong. What the agent gets over by itself is followed by more of its work. */
  | { type: 'trouble'; trouble: AgentTrouble }
  /** Why it has none of its turn's tools; null when it has them after all. */
  | { type: 'tools'; missing: string | null }
  /** Its model answers: whatever kept it is over. */
  | { type: 'alive' }
  /** The agent says that it is through. */
  | { type: 'end'; failed: boolean }
  /** A line that is no event of the agent's: a warning of its program, say. */
  | { type: 'line'; text: string };
