// What every stage of the loop may use: the room and the ports, who can run, whether the first look is over, and the one
// way back up.
import type { KnownChores } from '../../chores/known-chores.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Feedback } from '../feedback.ts';
import type { IdleWatch } from '../idle-watch.ts';
import type { Persistence } from '../persistence.ts';
import type { Agents } from '../runnable-agents.ts';
import type { PulseDependencies, PulseMode } from './pulse-dependencies.ts';

export interface LoopOptions {
  dependencies: PulseDependencies;
  mode: PulseMode;
  /** Whether the room is still this process's. */
  holdsRoom(): boolean;
  /** Nothing is asked for, running or waiting for a retry. */
  onIdle(): void;
  onTrouble(error: unknown): void;
  /** Trouble that lasts until it is noted as over (null). */
  note(about: string, trouble: RoomError | null): void;
}

/** What every stage may use. */
export interface Base extends LoopOptions {
  persistence: Persistence;
  agents: Agents;
  known: KnownChores;
  /** Ended once, by whoever takes that look. */
  firstLook: { isOver: boolean };
  idle: IdleWatch;
  feedback: Feedback;
}
