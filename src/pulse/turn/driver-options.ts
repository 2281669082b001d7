// What driving a task's turn needs of the loop around it.
import type { Client } from '../../operations/client.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { RunChecks } from '../check-port.ts';
import type { Feedback } from '../feedback.ts';
import type { Agents } from '../runnable-agents.ts';
import type { Workspaces } from '../workspace-port.ts';
import type { TurnBridges } from './turn-bridge.ts';

export interface DriverOptions {
  deps: TaskRoom;
  tasks: Client;
  agents: Pick<Agents, 'find'>;
  runChecks: RunChecks;
  workspaces: Workspaces;
  bridges: TurnBridges;
  withheldEnv: readonly string[];
  feedback: Pick<Feedback, 'lookAtTask' | 'observed'>;
  /** The loop is being stopped: what can't be written now is left to the next start. */
  isStopping(): boolean;
  /** A file could not be written or read for a reason outside. */
  onTrouble(error: unknown): void;
}
