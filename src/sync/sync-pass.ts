// One piece of work on a source: what every step of it has at hand, and what it adds up.
import type { MirrorConfig } from '../core/chore/chore.ts';
import type { SyncProgress } from '../core/chore-shapes.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import type { Provider, ProviderFactory, RemoteRef, RemoteTask } from '../providers/provider.ts';
import type { SkippedItem, SyncDeps, SyncOptions, SyncPoint, SyncReport } from './contract.ts';

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
    /** Files that were written and not yet announced. */
    written: new Set<string>(),
    /** Something in task_mirrors.json is other than it was. */
    mirrorsChanged: false,
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
