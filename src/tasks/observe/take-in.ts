// Taking in many changed files: those at rest in bulk, the same for the loop and for commands without a daemon. And the archive on disk: a
// room that lost its ledger records it first, so that none of its ids is given again (S7).
import { readdirSync, readFileSync } from 'node:fs';
import { MAX_FILE_BYTES } from '../../core/document/document.ts';
import { valueOr } from '../../core/errors.ts';
import { compareNames } from '../../core/task/names.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import type { Task } from '../../core/task/task.ts';
import { passedOver } from '../../store/files/scan.ts';
import { type FileRow, type FileStamp, sameStamp } from '../../store/ledger/tasks/files.ts';
import type { TaskRoom } from '../task-room.ts';
import { freshMemory, type Observation, recordReading } from './observer.ts';

export type ChangedFile = { path: string; stamp: FileStamp };

const FEW = 20; // Up to this many changed files are taken in one by one, each with all care.
const RECENT_MS = 15 * 60_000; // Our entries of this long ago may have been dropped by a stale buffer.
const STEP = 500; // A commit waits for the disk, whatever it holds; for so many files the event loop is not let go.
const AT_REST_MS = 1_000; // A text that was last touched this long ago is at rest.

/** Takes in those of many files that surely are at rest, in large commits; `careful` are to be taken in with all care, as `busy` are. */
export async function takeInBulk(
  deps: TaskRoom,
  changed: readonly ChangedFile[],
  busy: readonly string[] = [],
  onProgress: (done: number, total: number) => void = () => {},
) {
  const result = { taken: [] as { file: ChangedFile; observation: Observation }[], careful: [] as string[] };
  if (changed.length <= FEW) return { ...result, careful: changed.map(({ path }) => path) };
  const careful = new Set([...deps.ledger.writes.paths(deps.effects.now() - RECENT_MS), ...busy]);
  const isFirst = !deps.ledger.files.has();
  const takeOne = (file: ChangedFile) => {
    const kept = isFirst ? null : deps.ledger.files.get(file.path);
    const row = careful.has(file.path) ? null : readAtRest(deps, file, kept);
    if (row === null) result.careful.push(file.path);
    else result.taken.push({ file, observation: recordReading(deps, row, kept) });
  };
  // Lists go by when a file was first seen. Near the order of the ledger's tables: rows are added at their ends, and a commit touches few pages.
  const inOrder = changed.toSorted((a, b) => compareNames(a.path, b.path));
  for (let at = 0; at < inOrder.length; at += STEP) {
    const step = inOrder.slice(at, at + STEP);
    deps.ledger.transaction(() => step.forEach(takeOne));
    onProgress(at + step.length, inOrder.length);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return result;
}

/** Null for a file that may still be written, or is gone, unreadable or too large: the careful way says what is the matter. */
function readAtRest(deps: TaskRoom, { path, stamp }: ChangedFile, kept: FileRow | null): FileRow | null {
  if (kept !== null && sameStamp(kept.stamp, stamp)) return kept;
  const ageMs = deps.effects.now() - Math.max(stamp.mtimeMs, stamp.ctimeMs);
  if (ageMs < AT_REST_MS || stamp.size > MAX_FILE_BYTES) return null;
  // Node decodes a text quicker as it reads it. What may be no text is left to the careful way too.
  const text = valueOr(null, () => readFileSync(deps.room.at(path), 'utf8'));
  if (text === null || Buffer.byteLength(text) !== stamp.size || /[\0\uFFFD]/.test(text)) return null;
  const hash = hashText(text);
  const reading = readTask(path, text, deps.config, hash);
  return { path, stamp, hash, reading };
}

/** Records the tasks of the archive in a ledger that has never looked at the room. */
export function takeInArchive(deps: TaskRoom): void {
  const { ledger, effects } = deps;
  if (ledger.meta.wasLookedAt()) return;
  const now = effects.now();
  ledger.transaction(() => {
    for (const task of readArchive(deps)) {
      if (task.id === null || ledger.tasks.get(task.id) !== null) continue;
      const memory = freshMemory(task, task.id, now);
      ledger.tasks.insert({ ...memory, path: null, consumed: task.revision, archived: task.path });
    }
  });
}

/** The tasks in the archive that can be read, the newest month first. */
export function readArchive({ room, config }: Pick<TaskRoom, 'room' | 'config'>): Task[] {
  // No archive yet, or none that may be read.
  const entriesOf = (dir: string) => valueOr([], () => readdirSync(room.at(dir), { withFileTypes: true }));
  const months = entriesOf('archive').flatMap((entry) =>
    entry.isDirectory() ? `archive/${entry.name}` : [],
  );
  const paths = months
    .sort()
    .toReversed()
    .flatMap((month) => {
      const files = entriesOf(month).filter((entry) => entry.isFile() && passedOver(entry.name) === null);
      return files.map(({ name }) => `${month}/${name}`).sort();
    });
  return paths.flatMap((path) => {
    const text = readText(room.at(path));
    const reading = text === null ? null : readTask(path, text, config);
    return reading?.ok ? [reading.task] : [];
  });
}

export function readText(path: string): string | null {
  // Gone since it was listed, or not ours to read.
  return valueOr(null, () => readFileSync(path, 'utf8'));
}
