// What the sync engine asks of its surroundings and reports; and one piece of work on a source: what every step of it has at hand.
import type { Chore, MirrorConfig } from '../core/chore/chore.ts';
import type { LinkedJson, SyncProgress, SyncReportJson } from '../core/chore-shapes.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import type { TaskId } from '../core/ids.ts';
import type { CamelKeys } from '../core/plain-data.ts';
import type { NamedIssue, Provider, ProviderFactory, RemoteRef, RemoteTask } from '../providers/provider.ts';
import type { RoomParts } from '../store/ledger/ledger.ts';
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
export type Linked = LinkedJson & { task: TaskId };

const DOWN_AFTER = 3; // A tracker that fails so often in a row is down: the sync of the source stops.
const AT_ONCE = 50; // Issues per request to the provider; progress is reported after each.

export type SyncPass = ReturnType<typeof createPass>;

interface PassFacts {
  readonly deps: SyncDeps;
  readonly chore: string;
  readonly room: string; // The room's own id.
  readonly config: MirrorConfig;
  readonly factory: ProviderFactory;
  readonly provider: Provider;
  readonly options: SyncOptions;
  readonly signal: AbortSignal;
  readonly report: SyncReport;
}

export function createPass(facts: PassFacts) {
  const { deps, chore, provider, options, signal, report } = facts;
  /** The tracker failed that often in a row. */
  let faults = 0;
  const resetFaults = () => {
    faults = 0;
  };
  /** Asks for issues with all their comments; absent are those that are no longer visible. */
  const fetchMany = async (refs: readonly RemoteRef[], onLot?: (asked: number) => void) => {
    const found = new Map<RemoteRef, RemoteTask>();
    for (let at = 0; at < refs.length; at += AT_ONCE) {
      onLot?.(at);
      for (const [ref, remote] of await provider.get(refs.slice(at, at + AT_ONCE), signal))
        found.set(ref, remote);
      resetFaults();
    }
    return found;
  };
  return {
    ...facts,
    isDry: options.dryRun === true,
    written: new Set<string>(), // Files that were written and not yet announced.
    mirrorsChanged: false, // Something in task_mirrors.json is other than it was.
    fetchMany,
    /** Asks for one issue with all its comments; null when it is no longer visible. */
    fetchOne: async (ref: RemoteRef) => (await fetchMany([ref])).get(ref) ?? null,
    resetFaults,
    /** Counts failures of the tracker in a row. @throws the error itself when the tracker seems to be down */
    countFault(error: RoomError): void {
      if (error.code !== 'unavailable' && error.code !== 'not_found') return;
      faults += 1;
      if (faults >= DOWN_AFTER) throw error;
    },
    skip(item: SkippedItem): void {
      const words = JSON.stringify([item.ref, item.task, item.what, item.why]);
      const isKnown = ({ ref, task, what, why }: SkippedItem) =>
        JSON.stringify([ref, task, what, why]) === words;
      if (!report.skipped.some(isKnown)) report.skipped.push(item);
    },
    probe: (point: SyncPoint) => deps.probe?.(point),
    reportProgress(phase: SyncProgress['phase'], done: number, total: number | null): void {
      options.onProgress?.({ chore, phase, done, total });
      deps.events.emit({ type: 'sync.progress', chore, phase, done, total });
    },
    /** @throws RoomError `interrupted` when the sync is to stop */
    assertNotStopped(): void {
      if (signal.aborted) throw new RoomError('interrupted', 'the sync was stopped');
    },
  };
}

const OF_ITEM = ['unavailable', 'conflict', 'invalid_file', 'bad_input', 'refused', 'gone', 'not_found'];

/** Whether the error concerns one issue or task. Other errors end the sync of the source. */
export const isOfItem = (error: unknown): error is RoomError =>
  isRoomError(error) && OF_ITEM.includes(error.code);

const LONGEST_WAIT_MS = 3_600_000;

/** Wait after `tries` failures in a row: what the tracker asks for, which may be nothing, and a little more each time. */
export function backoffMs(tries: number, retryAfterMs: number | undefined): number {
  const doubled = 2 ** Math.min(Math.max(0, tries - 1), 12);
  if (retryAfterMs === undefined) return Math.min(30_000 * doubled, LONGEST_WAIT_MS);
  return Math.max(1_000, retryAfterMs) + Math.min(1_000 * (doubled - 1), LONGEST_WAIT_MS);
}
