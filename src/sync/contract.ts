// What the sync engine asks of its surroundings, and what it offers and reports.
import type { Chore } from '../core/chore/chore.ts';
import type {
  ConflictJson,
  LinkedJson,
  MirrorJson,
  SettlementJson,
  SyncProgress,
  SyncReportJson,
} from '../core/chore-shapes.ts';
import type { TaskId } from '../core/ids.ts';
import type { CamelKeys } from '../core/plain-data.ts';
import type { NamedIssue, ProviderFactory } from '../providers/provider.ts';
import type { RoomParts } from '../store/ledger/ledger.ts';
import type { MirrorListing } from '../store/ledger/mirrors/mirrors.ts';
import type { ConflictRow } from '../store/ledger/mirrors/outbox.ts';
import type { Writer } from '../store/write/writer.ts';

/** Where a test stops the process: the intent is durable, the tracker answered, the answer is recorded; the same for files. */
export type SyncPoint = 'intended' | 'called' | 'recorded' | 'claimed' | 'filed' | 'written';

export interface SyncDeps extends RoomParts {
  readonly writer: Writer;
  chores(): readonly Chore[]; // The chores that can be read; those without a mirror are passed over.
  /** @throws RoomError `bad_input` for a provider nobody knows */
  factory(name: string): Promise<ProviderFactory>;
  freshTaskId(): TaskId; // An id that was never used.
  refresh(): Promise<void>; // Takes in what changed on disk.
  announce(paths: readonly string[]): Promise<void>; // These files were written.
  /** Another process runs the room: what this one's environment lacks says nothing of that. */
  isGuest?(): boolean;
  branches?: TaskBranches; // The branches of tasks that have a workspace.
  /** Ends the task's turn as its person does, one that is asked for too; nothing where there is none. */
  stopTurn?(task: TaskId): Promise<void>;
  opensPulls?(): string[]; // Agents whose tasks get a pull request when they are done.
  probe?: (point: SyncPoint) => void;
}

export interface TaskBranch {
  name: string; // Of its repository in the workspace; '' where it is the only one.
  branch: string;
  commit: string; // Its last commit.
  commits: number; // How many commits it has that its base has not.
  base: string | null; // Branch that its workspace was begun from, where its agent names one.
  remotes: readonly string[]; // Addresses of the remote that it is pushed to.
}

export interface TaskBranches {
  /** One of each repository. @throws RoomError `not_found` without a workspace, `refused` where git can't tell */
  read(task: TaskId): Promise<TaskBranch[]>;
  /** @throws RoomError `refused` while somebody works there, or where files are not committed */
  assertAtRest(task: TaskId): Promise<void>;
  /** Sends it to its project's remote, never by force. @throws RoomError `refused` */
  push(task: TaskId, name: string): Promise<void>;
}

export interface SyncOptions {
  pull: boolean;
  push: boolean;
  full?: boolean; // Lists everything, whenever it was done last.
  /** Asks the tracker for these issues alone; what the listing would show is left to the next whole sync. */
  issues?: readonly NamedIssue[];
  /** Writes nothing on either side, and records nothing of it: the report's `plan` says what would be done. */
  dryRun?: boolean;
  force?: boolean; // Goes on where a guard would stop, and though the source is to be left alone for a while.
  sameRoom?: boolean; // A person says: comments with this room's keys are this room's, on record or not.
  newRoom?: boolean; // A person says: this is a copy, and another room from now on.
  byPerson?: boolean; // A person asks: only a limit of the tracker itself is waited for.
  wait?: boolean; // Waits for another sync of the source, up to ten minutes.
  onProgress?(progress: SyncProgress): void;
}

export type SyncReport = CamelKeys<SyncReportJson>;
/** `what`: a field, `comment`, `file`, `issue`, … */
export type SkippedItem = SyncReport['skipped'][number];

/** Times are epoch ms. */
export type MirrorView = Omit<
  CamelKeys<MirrorJson>,
  'task' | 'remoteUpdatedAt' | 'syncedAt' | 'dueAt' | 'conflicts'
> &
  Pick<MirrorListing, 'task' | 'remoteUpdatedAt' | 'syncedAt' | 'dueAt'> & {
    /** What both sides said differently and the person has not settled yet, the oldest first. */
    conflicts: ConflictView[];
  };

/** A field of which both sides said something else. */
export type ConflictView = Omit<CamelKeys<ConflictJson>, 'task' | 'at'> & Pick<ConflictRow, 'task' | 'at'>;

/** A conflict that is settled, with the text that stands since. */
export type Settlement = ConflictView & Pick<SettlementJson, 'take' | 'changed'>;
export type Linked = LinkedJson & { task: TaskId };
