// What the loop is made of and how it is to run. The composition root hands it in: the loop itself knows no programs, no
// processes and no git.
import type { AgentTool, Runner, TurnMcpServer, TurnReach } from '../agents/runner.ts';
import type { SyncChore } from '../chores/sync-runs.ts';
import type { AgentConfig, RunnerName } from '../core/config/agent-config.ts';
import type { TaskId, TurnId } from '../core/ids.ts';
import type { CheckResult } from '../core/rules/checks.ts';
import type { Client } from '../operations/client.ts';
import type { Notice } from '../store/ledger/turns/notices.ts';
import type { TakenIn } from '../tasks/plans/take-in-artifacts.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export interface PulseDependencies {
  deps: TaskRoom;
  tasks: Client;
  runners: ReadonlyMap<RunnerName, Runner>;
  /** Reads settings again; false when they are bad and the last good ones stay. */
  reloadSettings(): boolean;
  runChecks: RunChecks;
  workspaces: Workspaces;
  jobs: Jobs;
  /** Claims a turn whose process never came to be; false when there is or was one. */
  claimUnstarted(dir: string): Promise<boolean>;
  /** Ends what still runs of a turn that nobody follows. */
  endProcesses(turn: string): Promise<void>;
  /** Whether a turn is out at a worker on another machine, or waits for one: it goes on without this process. */
  isOut(turn: string): boolean;
  /** Marks a turn's folder, which no record names, as over. */
  closeTurnFolder(turn: string): void;
  /** Takes in what happened to the documents in artifacts/. */
  takeInArtifacts(options: { quietMs?: number }): Promise<TakenIn>;
  syncChore: SyncChore;
  /** Whether anything of the room may be mirrored. */
  isMirrored(): boolean;
  /** Chores with local changes to send, and when. */
  dirtySources(): { chore: string; dueAt: number }[];
  /** Sends what changed here; what fails is on record. */
  pushChore(chore: string, signal: AbortSignal): Promise<void>;
  /** Looks at the open pull requests of these tasks, null for all; what fails is on record. */
  syncPulls(tasks: readonly TaskId[] | null, signal: AbortSignal): Promise<void>;
  /** Syncs what webhooks told of, or (null) all that changed; what fails is on record. */
  syncNamed(chore: string, issues: readonly NamedByWebhook[] | null, signal: AbortSignal): Promise<void>;
  sendNotice(notice: OutgoingNotice): Promise<void>;
  bridges: TurnBridges;
}

export interface PulseMode {
  command: 'up' | 'once';
  /** End when all that was due has run; retries are left for later. */
  once: boolean;
  /** End when no request, turn or retry is left. */
  exitWhenIdle: boolean;
  /** Runs when all has ended, while the room is still held. */
  beforeRelease?: () => Promise<void>;
}

export interface ChecksToRun {
  turn: TurnId;
  task: TaskId;
  /** Whose environment and folder they get, as its turn had them. */
  agent: AgentConfig;
  /** Absolute path of the turn's folder. */
  dir: string;
  /** Given to `sh -c`, one after the other, up to the first that fails. */
  commands: readonly string[];
  timeoutMs: number;
  /** Most bytes that each may print. */
  maxOutputBytes: number;
  /** Aborts with a StopTurn: what runs is ended, and the last result says `stopped`. */
  signal: AbortSignal;
}

/** Runs checks; resolves when nothing they started is alive. What an earlier try left running is ended first. */
export type RunChecks = (checks: ChecksToRun) => Promise<CheckResult[]>;

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

export interface WorkspaceTurn {
  turn: TurnId;
  task: TaskId;
  name: string;
  agent: AgentConfig;
  /** Where a new workspace begins, as the task's `base` says; null or absent where it says nothing. */
  base?: string | null;
  /** Absolute path of the turn's folder. */
  dir: string;
  /** Ends a hook that runs. */
  signal: AbortSignal;
  /** The agent runs on another machine, and has its folder there. */
  isRemote?: boolean;
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

export type NamedByWebhook = { ref: string | null; uid: string | null };

export interface OutgoingNotice extends Pick<Notice, 'seq' | 'at' | 'kind' | 'author' | 'task' | 'text'> {
  /** The task's name; null outside a task. */
  name: string | null;
}

export interface TurnBridge {
  readonly reach: TurnReach;
  readonly mcp: TurnMcpServer;
  /** The tools of the turn's agent: what they ask goes the way of everything it reports. */
  tools(): Promise<readonly AgentTool[]>;
  /** Lets nothing more in, and resolves when all that came before is carried out. @throws RoomError `io` */
  drain(): Promise<void>;
  /** Stops serving; what was not carried out is taken up when it is opened again. */
  close(): Promise<void>;
}

export interface TurnBridges {
  /** Absolute path of the `taskroom` of turns. */
  readonly program: string;
  /**
   * @param onTrouble told of what fails behind the answers
   * @param isRemote the turn's agent is on another machine
   * @throws RoomError `io`
   */
  open(turn: TurnId, onTrouble: (error: unknown) => void, isRemote?: boolean): Promise<TurnBridge>;
}
