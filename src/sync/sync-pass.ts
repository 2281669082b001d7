// One sync of one source: what every step of it has at hand, and what it adds up.

import type { MirrorConfig } from '../core/chore/chore.ts';
import type { SyncProgress } from '../core/chore-shapes.ts';
import { isRoomError, RoomError } from '../core/errors.ts';
import type { Provider, ProviderFactory, RemoteRef, RemoteTask } from '../providers/provider.ts';
import type { SkippedItem, SyncDeps, SyncOptions, SyncPoint, SyncReport } from './contract.ts';

export interface SyncPass {
  readonly deps: SyncDeps;
  readonly chore: string;
  /** The room's own id. */
  readonly room: string;
  readonly config: MirrorConfig;
  readonly factory: ProviderFactory;
  readonly provider: Provider;
  readonly options: SyncOptions;
  readonly signal: AbortSignal;
  readonly report: SyncReport;
  /** Files that were written and not yet announced. */
  readonly written: Set<string>;
  /** The tracker failed that often in a row. */
  faults: number;
  /** Something in task_mirrors.json is other than it was. */
  mirrorsChanged: boolean;
}

// A tracker that fails so often in a row is down: the rest of this sync would fail as well.
const DOWN_AFTER = 3;

export function newReport(chore: string, config: MirrorConfig, dryRun: boolean): SyncReport {
  return {
    chore,
    provider: config.provider,
    source: config.source,
    dryRun,
    created: 0,
    updated: 0,
    pushed: 0,
    commentsIn: 0,
    commentsOut: 0,
    conflicts: 0,
    detached: 0,
    skipped: [],
    plan: [],
    requests: 0,
    notModified: 0,
    remaining: null,
    resetAt: null,
    waiting: 0,
    error: null,
  };
}

export function isDry(pass: SyncPass): boolean {
  return pass.options.dryRun === true;
}

export function skip(pass: SyncPass, item: SkippedItem): void {
  const { skipped } = pass.report;
  const known = skipped.some(
    (one) => one.task === item.task && one.ref === item.ref && one.what === item.what && one.why === item.why,
  );
  if (!known) skipped.push(item);
}

export function probe(pass: SyncPass, point: SyncPoint): void {
  pass.deps.probe?.(point);
}

export function tell(pass: SyncPass, phase: SyncProgress['phase'], done: number, total: number | null): void {
  const { chore, deps, options } = pass;
  options.onProgress?.({ chore, phase, done, total });
  deps.events.emit({ type: 'sync.progress', chore, phase, done, total });
}

/** @throws RoomError `interrupted` when the sync is to stop */
export function assertNotStopped({ signal }: SyncPass): void {
  if (signal.aborted) throw new RoomError('interrupted', 'the sync was stopped');
}

/** True for an error that concerns one issue or task; others end the sync of the source. */
export function isOfItem(error: unknown): error is RoomError {
  return (
    isRoomError(error) &&
    ['unavailable', 'conflict', 'invalid_file', 'bad_input', 'refused', 'gone', 'not_found'].includes(
      error.code,
    )
  );
}

/** Counts failures of the tracker in a row. @throws the error itself when the tracker seems to be down */
export function countFault(pass: SyncPass, error: RoomError): void {
  if (error.code !== 'unavailable' && error.code !== 'not_found') return;
  pass.faults += 1;
  if (pass.faults >= DOWN_AFTER) throw error;
}

const LONGEST_WAIT_MS = 3_600_000;

/**
 * What failed `tries` times in a row waits for, milliseconds: what the tracker asks for, and a little more each time, since
 * what it asks for may be nothing.
 */
export function backoffMs(tries: number, retryAfterMs: number | undefined): number {
  const doubled = 2 ** Math.min(Math.max(0, tries - 1), 12);
  if (retryAfterMs === undefined) return Math.min(30_000 * doubled, LONGEST_WAIT_MS);
  return Math.max(1_000, retryAfterMs) + Math.min(1_000 * (doubled - 1), LONGEST_WAIT_MS);
}

/** Asks for one issue with all its comments; null when it is no longer visible. */
export async function fetchOne(pass: SyncPass, ref: RemoteRef): Promise<RemoteTask | null> {
  return (await fetchMany(pass, [ref])).get(ref) ?? null;
}

// So many are asked for between two looks at how far it got.
const AT_ONCE = 50;

/** Asks for issues with all their comments; absent are those that are no longer visible. */
export async function fetchMany(
  pass: SyncPass,
  refs: readonly RemoteRef[],
  onLot?: (asked: number) => void,
): Promise<Map<RemoteRef, RemoteTask>> {
  const found = new Map<RemoteRef, RemoteTask>();
  for (let at = 0; at < refs.length; at += AT_ONCE) {
    onLot?.(at);
    for (const [ref, remote] of await pass.provider.get(refs.slice(at, at + AT_ONCE), pass.signal))
      found.set(ref, remote);
    pass.faults = 0;
  }
  return found;
}
