// What driving a turn needs of the loop around it.
import type { AgentConfig } from '../../core/config/agent-config.ts';
import type { TaskId } from '../../core/ids.ts';
import type { Runner } from '../../runners/runner.ts';
import type { Observation } from '../../tasks/observe/observer.ts';
import type { Operations } from '../../tasks/operations.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { Queue } from '../queue.ts';

export interface DriverOptions {
  deps: TaskRoom;
  tasks: Operations;
  queue: Queue;
  /** The agent and its runner, or what is wrong with them. */
  agentOf(id: string): { agent: AgentConfig; runner: Runner } | string;
  binDir: string;
  withheldEnv: readonly string[];
  /** Takes in what a task's file says now. */
  lookAt(id: TaskId): Promise<void>;
  /** A file was observed on the way. */
  onObserved(observation: Observation): void;
  /** The loop is being stopped: what can't be written now is left to the next start. */
  isStopping(): boolean;
  /** A file could not be written or read for a reason outside. */
  onTrouble(error: unknown): void;
}

export type TurnFate = 'skipped' | 'completed' | 'failed' | 'killed' | 'interrupted';
