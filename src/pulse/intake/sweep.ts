// A sweep compares everything with the disk: a few changed files are taken in one by one with all care, many in bulk.

import type { FileStamp } from '../../store/ledger/tasks/files.ts';
import { runScanGently, type ScanResult } from '../../store/scan.ts';
import { takeInArchive } from '../../tasks/observe/archive.ts';
import type { Observation } from '../../tasks/observe/observer.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import { readInBulk } from './bulk-reading.ts';
import type { PathQueue } from './path-queue.ts';

export interface SweepOptions {
  /** Takes in, too, what a reader stored, and what went, while nobody observed. */
  first: boolean;
  /** Of changed files that are taken in in bulk. */
  onProgress(done: number, total: number): void;
}

export interface SweepContext {
  deps: TaskRoom;
  stamps: Map<string, FileStamp>;
  paths: Pick<PathQueue, 'look' | 'busyPaths'>;
  /** Follows an observation to what it leads to. */
  follow(observation: Observation): void;
}

// Up to this many changed files are read one by one, each with all care.
const FEW = 20;
// Our entries of this long ago may have been dropped by a stale buffer.
const RECENT_MS = 15 * 60_000;

/** Resolves when each difference was taken in. */
export async function sweepRoom(
  context: SweepContext,
  { first, onProgress }: SweepOptions,
): Promise<ScanResult> {
  const { deps, stamps, paths } = context;
  const { files } = deps.ledger;
  if (first) takeInArchive(deps);
  const result = await runScanGently(deps.room, stamps);
  const isComplete = !first || files.isComplete();
  const changed = isComplete
    ? result.changed
    : [...result.changed, ...takeUnobserved(context, result.changed)];
  const careful =
    changed.length > FEW ? await sweepInBulk(context, changed, onProgress) : changed.map(({ path }) => path);
  const missing = first && !(isComplete && changed.length === 0) ? files.missing() : [];
  for (const path of [...careful, ...result.gone, ...missing]) await paths.look(path);
  return result;
}

/** Files that look as they did, but that nobody observed since a reader stored them; their stamps are forgotten. */
function takeUnobserved(
  { deps, stamps }: SweepContext,
  changed: ScanResult['changed'],
): ScanResult['changed'] {
  const known = new Set(changed.map(({ path }) => path));
  const unobserved = deps.ledger.files.unobserved().filter((path) => !known.has(path) && stamps.has(path));
  return unobserved.map((path) => {
    const stamp = stamps.get(path)!;
    stamps.delete(path);
    return { path, stamp };
  });
}

/** Takes in what surely is at rest; returns the paths that need all care. */
async function sweepInBulk(
  { deps, stamps, paths, follow }: SweepContext,
  changed: ScanResult['changed'],
  onProgress: SweepOptions['onProgress'],
): Promise<string[]> {
  const recent = deps.ledger.writes.paths(deps.effects.now() - RECENT_MS);
  const careful = new Set([...recent, ...paths.busyPaths()]);
  const bulk = await readInBulk(deps, changed, careful, (done) => onProgress(done, changed.length));
  for (const { path, stamp } of bulk.taken) stamps.set(path, stamp);
  for (const observation of bulk.observations) follow(observation);
  return bulk.rest;
}
