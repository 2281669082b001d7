// Taking in many files at once (a first scan, a branch switch): read and recorded in batches of one durable commit,
// with the event loop let go between them. Files that may still be written are left to the careful way.

import { readFileSync } from 'node:fs';
import { decodeDocument } from '../../core/document/document.ts';
import { compareNames } from '../../core/task/natural-order.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { FileRow, FileStamp } from '../../store/ledger/tasks/files.ts';
import { hashBytes } from '../../store/write/stable-read.ts';
import { type Observation, recordReading } from '../../tasks/observe/observer.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export interface BulkResult {
  observations: Observation[];
  taken: { path: string; stamp: FileStamp }[];
  /** Paths that need the careful way. */
  rest: string[];
}

// A commit waits for the disk, whatever it holds; for so long, or so many files, the event loop is not let go.
const LONGEST_STEP_MS = 40;
const MOST_FILES = 1_000;
// A text that was last touched this long ago is at rest.
const AT_REST_MS = 1_000;

/**
 * Reads and records the changed files that are surely at rest.
 * @param careful paths that must not be taken in bulk
 * @param onProgress files done so far
 */
export async function readInBulk(
  deps: TaskRoom,
  changed: readonly { path: string; stamp: FileStamp }[],
  careful: ReadonlySet<string>,
  onProgress: (done: number) => void,
): Promise<BulkResult> {
  const result: BulkResult = { observations: [], taken: [], rest: [] };
  // Lists go by when a file was first seen. Near the order of the ledger's tables: rows are added at their ends, and a commit touches few pages.
  const inOrder = changed.toSorted((a, b) => compareNames(a.path, b.path));
  for (let at = 0; at < inOrder.length; ) {
    const end = Math.min(at + MOST_FILES, inOrder.length);
    deps.ledger.transaction(() => {
      const until = deps.effects.monotonicMs() + LONGEST_STEP_MS;
      do takeOne(deps, inOrder[at]!, careful, result);
      while (++at < end && deps.effects.monotonicMs() < until);
    });
    onProgress(at);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return result;
}

function takeOne(
  deps: TaskRoom,
  file: { path: string; stamp: FileStamp },
  careful: ReadonlySet<string>,
  result: BulkResult,
): void {
  const { path, stamp } = file;
  const age = deps.effects.now() - Math.max(stamp.mtimeMs, stamp.ctimeMs);
  const row = careful.has(path) || age < AT_REST_MS ? null : readRow(deps, path, stamp);
  if (row === null) {
    result.rest.push(path);
    return;
  }
  result.observations.push(recordReading(deps, row));
  result.taken.push(file);
}

function readRow(deps: TaskRoom, path: string, stamp: FileStamp): FileRow | null {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(deps.room.at(path));
  } catch {
    // Gone, unreadable or too large: the careful way says what is the matter.
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
