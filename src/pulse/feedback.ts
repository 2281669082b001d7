// What goes against the flow: a stage hands on to the next below it, and tells those above it through this alone.
import type { TaskId, ThreadId } from '../core/ids.ts';
import type { Observation } from '../tasks/observe/observer.ts';

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
