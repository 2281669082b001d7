// Taking in many files at once (a first scan, a branch switch): read and recorded in batches of one durable commit,
// with the event loop let go between them. Files that may still be written are left to the careful way.
import { readFileSync } from 'node:fs';
import { decodeDocument } from '../core/document.ts';
import { readTask } from '../core/read-task.ts';
import type { FileRow, FileStamp } from '../store/ledger/files.ts';
import { hashBytes } from '../store/stable-read.ts';
import { type Observation, recordReading } from '../tasks/observer.ts';
import type { TaskRoom } from '../tasks/task-room.ts';

export interface BulkResult {
  observations: Observation[];
  taken: { path: string; stamp: FileStamp }[];
  /** Paths that need the careful way. */
  rest: string[];
}

const BATCH = 250;
// A text that was last touched this long ago is at rest.
const AT_REST_MS = 1_000;

/**
 * Reads and records the changed files that are surely at rest.
 * @param careful paths that must not be taken in bulk
 * @param onProgress files done so far
 */
export async function takeInBulk(
  deps: TaskRoom,
  changed: readonly { path: string; stamp: FileStamp }[],
  careful: ReadonlySet<string>,
  onProgress: (done: number) => void,
): Promise<BulkResult> {
  const result: BulkResult = { observations: [], taken: [], rest: [] };
  for (let at = 0; at < changed.length; at += BATCH) {
    const now = deps.effects.now();
    deps.ledger.transaction(() => {
      for (const { path, stamp } of changed.slice(at, at + BATCH)) {
        const age = now - Math.max(stamp.mtimeMs, stamp.ctimeMs);
        const row = careful.has(path) || age < AT_REST_MS ? null : readRow(deps, path, stamp);
        if (row === null) {
          result.rest.push(path);
          continue;
        }
        result.observations.push(recordReading(deps, row));
        result.taken.push({ path, stamp });
      }
    });
    onProgress(Math.min(at + BATCH, changed.length));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return result;
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
  const reading = decoded.ok
    ? readTask(path, decoded.text)
    : { ok: false as const, invalid: { path, problems: decoded.problems } };
  return { path, stamp, hash: hashBytes(bytes), reading };
}
