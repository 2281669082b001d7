// A rescan compares everything with the disk: a few changed files are taken in one by one with all care, many in bulk, read and
// recorded in batches of one durable commit with the event loop let go between them.
import { readFileSync } from 'node:fs';
import { decodeDocument } from '../../core/document/document.ts';
import { compareNames } from '../../core/task/natural-order.ts';
import { readTask } from '../../core/task/read-task.ts';
import { runScanGently, type ScanResult } from '../../store/files/scan.ts';
import type { FileRow, FileStamp } from '../../store/ledger/tasks/files.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { takeInArchive } from '../../tasks/observe/archive.ts';
import { type Observation, recordReading } from '../../tasks/observe/observer.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';
import type { DirtyPaths } from '../dirty-keys.ts';

export interface RescanOptions {
  /** Takes in, too, what a reader stored, and what went, while nobody observed. */
  first: boolean;
  /** Of changed files that are taken in in bulk. */
  onProgress(done: number, total: number): void;
}

interface Rescan {
  deps: TaskRoom;
  dirtyPaths: DirtyPaths;
  /** Follows an observation to what it leads to. */
  follow(observation: Observation): void;
}

type Changed = { path: string; stamp: FileStamp };

// Up to this many changed files are read one by one, each with all care.
const FEW = 20;
// Our entries of this long ago may have been dropped by a stale buffer.
const RECENT_MS = 15 * 60_000;
// A commit waits for the disk, whatever it holds; for so long, or so many files, the event loop is not let go.
const LONGEST_STEP_MS = 40;
const MOST_FILES = 1_000;
// A text that was last touched this long ago is at rest.
const AT_REST_MS = 1_000;

/** Resolves when each difference was taken in. */
export async function rescan(context: Rescan, { first, onProgress }: RescanOptions): Promise<ScanResult> {
  const { deps, dirtyPaths } = context;
  const { files } = deps.ledger;
  if (first) takeInArchive(deps);
  const result = await runScanGently(deps.room, dirtyPaths.stamps);
  const isComplete = !first || files.isComplete();
  const changed = isComplete
    ? result.changed
    : [...result.changed, ...takeUnobserved(context, result.changed)];
  const careful =
    changed.length > FEW ? await takeInBulk(context, changed, onProgress) : changed.map(({ path }) => path);
  const missing = first && !(isComplete && changed.length === 0) ? files.missing() : [];
  for (const path of [...careful, ...result.gone, ...missing]) await dirtyPaths.look(path);
  return result;
}

/** Files that look as they did, but that nobody observed since a reader stored them; their stamps are forgotten. */
function takeUnobserved({ deps, dirtyPaths: { stamps } }: Rescan, changed: readonly Changed[]): Changed[] {
  const known = new Set(changed.map(({ path }) => path));
  const unobserved = deps.ledger.files.unobserved().filter((path) => !known.has(path) && stamps.has(path));
  return unobserved.map((path) => {
    const stamp = stamps.get(path)!;
    stamps.delete(path);
    return { path, stamp };
  });
}

/** Takes in what surely is at rest; returns the paths that need all care. */
async function takeInBulk(
  { deps, dirtyPaths, follow }: Rescan,
  changed: readonly Changed[],
  onProgress: RescanOptions['onProgress'],
): Promise<string[]> {
  const recent = deps.ledger.writes.paths(deps.effects.now() - RECENT_MS);
  const careful = new Set([...recent, ...dirtyPaths.busyPaths()]);
  const observations: Observation[] = [];
  const taken: Changed[] = [];
  const rest: string[] = [];
  const takeOne = (file: Changed) => {
    const row = careful.has(file.path) ? null : readAtRest(deps, file);
    if (row === null) return rest.push(file.path);
    observations.push(recordReading(deps, row));
    return taken.push(file);
  };
  // Lists go by when a file was first seen. Near the order of the ledger's tables: rows are added at their ends, and a commit touches few pages.
  const inOrder = changed.toSorted((a, b) => compareNames(a.path, b.path));
  for (let at = 0; at < inOrder.length; ) {
    const end = Math.min(at + MOST_FILES, inOrder.length);
    deps.ledger.transaction(() => {
      const until = deps.effects.monotonicMs() + LONGEST_STEP_MS;
      do takeOne(inOrder[at]!);
      while (++at < end && deps.effects.monotonicMs() < until);
    });
    onProgress(at, inOrder.length);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  for (const { path, stamp } of taken) dirtyPaths.stamps.set(path, stamp);
  for (const observation of observations) follow(observation);
  return rest;
}

/** Null for a file that may still be written, or is gone, unreadable or too large: the careful way says what is the matter. */
function readAtRest(deps: TaskRoom, { path, stamp }: Changed): FileRow | null {
  if (deps.effects.now() - Math.max(stamp.mtimeMs, stamp.ctimeMs) < AT_REST_MS) return null;
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(deps.room.at(path));
  } catch {
    return null;
  }
  if (bytes.length !== stamp.size) return null;
  const decoded = decodeDocument(bytes, path);
  const hash = hashBytes(bytes);
  const reading = decoded.ok
    ? readTask(path, decoded.text, hash)
    : { ok: false as const, invalid: { path, problems: decoded.problems } };
  return { path, stamp, hash, reading };
}
