// What every station of the loop may use: the room and the ports, who can run, and the one way back up.
import type { KnownChores } from '../chores/known-chores.ts';
import type { RoomError } from '../core/errors.ts';
import type { TaskId, ThreadId } from '../core/ids.ts';
import type { Observation } from '../tasks/observe/observer.ts';
import type { TaskRoom } from '../tasks/task-room.ts';
import type { IdleWatch } from './idle-watch.ts';
import type { Keep } from './persistence.ts';
import type { PulseDependencies, PulseMode } from './ports.ts';
import type { Agents } from './runnable-agents.ts';

export interface Base {
  dependencies: PulseDependencies;
  deps: TaskRoom;
  mode: PulseMode;
  /** The loop ends when all that is due has run: nothing is waited for. */
  once: boolean;
  agents: Agents;
  known: KnownChores;
  /** Until the whole room was taken in once, edits are gathered, and nothing is decided over them or started. */
  firstLook: { isOver: boolean };
  /** Whether the room is still this process's: in another's nothing is acted on or started. */
  holdsRoom(): boolean;
  idle: IdleWatch;
  keep: Keep;
  feedback: Feedback;
  /** Tells of trouble that nobody waits for. */
  onTrouble(error: unknown): void;
  /** Trouble that lasts until it is noted as over (null). */
  note(about: string, trouble: RoomError | null): void;
}

/** What goes against the flow: a station hands on to the next below it, and tells those above it through this alone. */
export interface Feedback {
  /** Takes in what a task's file says now; resolves when that is done. */
  lookAtTask(id: TaskId): Promise<void>;
  /** A turn read its task's file on its way. */
  observed(observation: Observation): void;
  /** How many files are being read, or wait for it. */
  unreadFiles(): number;
  /** Compares everything with the disk: what differs is being read once this resolves. */
  hearOfAll(): Promise<void>;
  /** A request led to no turn. */
  cameToNothing(id: TaskId): void;
  /** A turn is over and its thread free again: there may be more to do, here or upstream. */
  turnOver(thread: ThreadId): void;
  /** A sync is over. Resolves when what it wrote was taken in, where the loop may end before the next sweep. */
  synced(): Promise<void>;
}
