// What a coding agent tells while it works, whichever program it is: the one form that its outcome is judged by and
// that people read.
import type { TurnUsage } from './turn.ts';

/** What keeps an agent from working, told apart by what helps. */
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
  /** The agent's own words, one line. */
  message: string;
  /** With `limit`: when it ends, epoch ms; null where the agent did not say. */
  until: number | null;
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
