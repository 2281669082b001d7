// How the loop has the jobs of agents kept: the runtime hands it in, since it knows processes. Those of a turn end with it
// before its end is recorded, as part of draining its bridge.
import type { TaskId } from '../core/ids.ts';

export interface JobEvents {
  /** The end of a job woke this task. */
  onDue(task: TaskId): void;
  onTrouble(error: unknown): void;
}

export interface Jobs {
  /** From now on there is a loop; nothing is started yet. */
  open(events: JobEvents): Promise<void>;
  /** Takes up what an earlier runtime left, starts what was asked for, and ends what is to end. Never throws. */
  look(): void;
  /** Lets go of all that run: they go on, and are taken up at the next start. */
  close(): Promise<void>;
}
