// What the loop is made of and how it is to run: handed in by the composition root.
import type { SyncChore } from '../../chores/sync-run.ts';
import type { RunnerName } from '../../core/config/agent-config.ts';
import type { RoomError } from '../../core/errors.ts';
import type { Client } from '../../operations/client.ts';
import type { Runner } from '../../runners/runner.ts';
import type { HeardPaths } from '../../tasks/file-lines.ts';
import type { TakeInOptions, TakenIn } from '../../tasks/plans/take-in-artifacts.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { RunChecks } from '../check-port.ts';
import type { Jobs } from '../job-port.ts';
import type { TurnBridges } from '../turn/turn-bridge.ts';
import type { OutgoingNotice } from '../upkeep/notices.ts';
import type { Workspaces } from '../workspace-port.ts';
import type { ToldIssue, WebhookNews } from './webhook-news.ts';

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
  takeInArtifacts(options: TakeInOptions): Promise<TakenIn>;
  /** Syncs the mirror of a chore. */
  syncChore: SyncChore;
  /** Whether anything of the room may be mirrored. */
  isMirrored(): boolean;
  /** Chores with local changes to send, and when. */
  dirtySources(): { chore: string; dueAt: number }[];
  /** Sends what changed here; what fails is on record. */
  pushChore(chore: string, signal: AbortSignal): Promise<void>;
  /** Syncs what webhooks told of, or (null) all that changed; what fails is on record. */
  syncTold(chore: string, issues: readonly ToldIssue[] | null, signal: AbortSignal): Promise<void>;
  /** Sends what an agent told the person by the ways the room names. */
  sendNotice(notice: OutgoingNotice): Promise<void>;
  /** What turns report through. */
  bridges: TurnBridges;
  /** Names of secrets that no turn's process may inherit. */
  withheldEnv: readonly string[];
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

export interface RunningPulse {
  /** Resolves when the loop has ended, however that came. */
  readonly finished: Promise<{ turns: number; failed: number }>;
  /** No new turns; running ones get `graceMs` and are then interrupted. Called again with 0 it stops at once. */
  stop(graceMs: number): Promise<void>;
  /** The task files of which something was heard, read or not. */
  readonly heard: HeardPaths;
  /** Trouble that lasts until it is noted as over (null). */
  note(about: string, trouble: RoomError | null): void;
  /** Tells of trouble that nobody waits for. */
  onTrouble(error: unknown): void;
  /** What agents need may have changed: it is looked at anew. */
  agentsChanged(): void;
  /** Takes in which issue a webhook named; see WebhookNews.take. */
  readonly told: WebhookNews['take'];
}
