// How the loop has a turn's agent given a folder of its task's own: it knows no git, the runtime hands this in.
import type { AgentConfig } from '../core/config/agent-config.ts';
import type { TaskId, TurnId } from '../core/ids.ts';

export interface WorkspaceTurn {
  turn: TurnId;
  task: TaskId;
  /** Of the task. */
  name: string;
  agent: AgentConfig;
  /** Absolute path of the turn's folder. */
  dir: string;
  /** Ends a hook that runs. */
  signal: AbortSignal;
  /** The agent runs on another machine, and has its folder there. */
  elsewhere?: boolean;
  /** Called while a hook runs: the turn is not silent. */
  alive(): void;
}

export type Entered =
  /** The agent as it is to run: in the workspace, where it has one. */
  | { ok: true; agent: AgentConfig }
  /** `refused`: a person has to do something; `exit`: it may pass. */
  | { ok: false; reason: 'refused' | 'exit'; message: string };

export interface Workspaces {
  /** Makes or finds the task's workspace, and runs `after_create` and `before_run`. An agent without one is as it was. */
  enter(turn: WorkspaceTurn): Promise<Entered>;
  /** The agent as it was entered: for a turn that is taken up. */
  agentIn(task: TaskId, agent: AgentConfig): AgentConfig;
  /** Runs `after_run`. Returns what went wrong with it; null for nothing. */
  leave(turn: WorkspaceTurn): Promise<string | null>;
  /** What the task's branch came to; null where there is nothing to say. */
  changes(task: TaskId): Promise<string | null>;
  /** Removes workspaces of archived tasks whose work is elsewhere too. */
  tidy(): Promise<void>;
}
