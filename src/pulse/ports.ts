// What the loop is made of and how it is to run. The composition root hands it in: the loop itself knows no programs, no
// processes and no git.
import type { AgentTool, Runner, TurnMcpServer, TurnReach } from '../agents/runner.ts';
import type { AgentConfig, RunnerName } from '../core/config/agent-config.ts';
import type { TaskId, TurnId } from '../core/ids.ts';
import type { CheckResult } from '../core/rules/checks.ts';
import type { Client } from '../operations/client.ts';
import type { Notice } from '../store/ledger/turns/notices.ts';
import type { Sync } from '../sync/sync.ts';
import type { RoomHandle } from '../tasks/task-room.ts';

export interface PulseDependencies {
  deps: RoomHandle;
  tasks: Client;
  runners: ReadonlyMap<RunnerName, Runner>;
  reloadSettings(): boolean; // Reads settings again; false when they are bad and the last good ones stay.
  runChecks: RunChecks;
  workspaces: Workspaces;
  jobs: Jobs;
  /** Claims a turn whose process never came to be; false when there is or was one. */
  claimUnstarted(dir: string): Promise<boolean>;
  endProcesses(turn: string): Promise<void>; // Ends what still runs of a turn that nobody follows.
  /** Whether a turn is out at a worker on another machine, or waits for one: it goes on without this process. */
  isOut(turn: string): boolean;
  mirrors: Mirrors;
  sendNotice(notice: OutgoingNotice): Promise<void>;
  bridges: TurnBridges;
}

/** The mirrors of the room. What fails of a sync is on record. */
export interface Mirrors {
  readonly opened: { readonly sync: Sync } | null; // Null while nothing asked for them: then nothing is mirrored.
  open(): Promise<{ readonly sync: Sync }>; // With the chores as their files say now.
}

export interface PulseMode {
  command: 'up' | 'once';
  once: boolean; // End when all that was due has run; retries are left for later.
  exitWhenIdle: boolean; // End when no request, turn or retry is left.
  beforeRelease?: () => Promise<void>; // Runs when all has ended, while the room is still held.
}

export interface ChecksToRun {
  turn: TurnId;
  task: TaskId;
  agent: AgentConfig; // Whose environment and folder they get, as its turn had them.
  dir: string; // Absolute path of the turn's folder.
  commands: readonly string[]; // Given to `sh -c`, one after the other, up to the first that fails.
  timeoutMs: number;
  maxOutputBytes: number; // Most bytes that each may print.
  signal: AbortSignal; // Aborts with a StopTurn: what runs is ended, and the last result says `stopped`.
}

/** Runs checks; resolves when nothing they started is alive. What an earlier try left running is ended first. */
export type RunChecks = (checks: ChecksToRun) => Promise<CheckResult[]>;

export interface JobEvents {
  onDue(task: TaskId): void; // The end of a job woke this task.
  onTrouble(error: unknown): void;
}

export interface Jobs {
  open(events: JobEvents): Promise<void>; // From now on there is a loop; nothing is started yet.
  /** Takes up what an earlier runtime left, starts what was asked for, and ends what is to end. Never throws. */
  look(): void;
  close(): Promise<void>; // Lets go of all that run: they go on, and are taken up at the next start.
}

export interface WorkspaceTurn {
  turn: TurnId;
  task: TaskId;
  name: string;
  agent: AgentConfig;
  /** Where a new workspace begins, as the task's `base` says; null or absent where it says nothing. */
  base?: string | null;
  /** The repositories that the task names itself; none or absent where its agent's workspace counts. */
  repositories?: readonly string[];
  dir: string; // Absolute path of the turn's folder.
  signal: AbortSignal; // Ends a hook that runs.
  isRemote?: boolean; // The agent runs on another machine, and has its folder there.
  alive(): void; // Called while a hook runs: the turn is not silent.
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
  tidy(): Promise<void>; // Removes workspaces of archived tasks whose work is elsewhere too.
}

export type NamedByWebhook = { ref: string | null; uid: string | null; isUrgent?: boolean };

export interface OutgoingNotice extends Pick<Notice, 'seq' | 'at' | 'kind' | 'author' | 'task' | 'text'> {
  name: string | null; // The task's name; null outside a task.
}

export interface TurnBridge {
  readonly reach: TurnReach;
  readonly mcp: TurnMcpServer;
  /** The tools of the turn's agent: what they ask goes the way of everything it reports. */
  tools(): Promise<readonly AgentTool[]>;
  /** Lets nothing more in, and resolves when all that came before is carried out. @throws RoomError `io` */
  drain(): Promise<void>;
  close(): Promise<void>; // Stops serving; what was not carried out is taken up when it is opened again.
}

export interface TurnBridges {
  readonly program: string; // Absolute path of the `taskroom` of turns.
  /** @param onTrouble told of what fails behind the answers
   * @param isRemote the turn's agent is on another machine
   * @throws RoomError `io` */
  open(turn: TurnId, onTrouble: (error: unknown) => void, isRemote?: boolean): Promise<TurnBridge>;
}
