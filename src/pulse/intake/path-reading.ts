// What stands at a path now, read at rest.
import { type FileStamp, sameStamp } from '../../store/ledger/tasks/files.ts';
import { statTask } from '../../store/scan.ts';
import { type ReadRow, readFileRow } from '../../tasks/observe/read-file-row.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

export type PathReading =
  | { kind: 'unchanged' }
  | { kind: 'gone' }
  /** It kept changing while it was read. */
  | { kind: 'unstable' }
  | { kind: 'read'; row: ReadRow };

/**
 * Reads the file at `path`, unless it looks as it did.
 * @param known what it looked like when it was taken in last; null reads it in any case
 * @throws RoomError `io` when the disk refuses
 */
export async function readPath(deps: TaskRoom, path: string, known: FileStamp | null): Promise<PathReading> {
  const stamp = statTask(deps.room.at(path));
  if (stamp === null || typeof stamp === 'string') return { kind: 'gone' };
  if (known !== null && sameStamp(known, stamp)) return { kind: 'unchanged' };
  const row = await readFileRow(deps, path);
  if (row === null) return { kind: 'gone' };
  return row === 'unstable' ? { kind: 'unstable' } : { kind: 'read', row };
}

/** Puts back what a stale buffer dropped from a text that is new and not ours; true when that changed the file. */
export async function restoreDropped(deps: TaskRoom, { path, hash }: ReadRow): Promise<boolean> {
  if (deps.writer.isOurs(path, hash) || deps.ledger.files.get(path)?.hash === hash) return false;
  const { restored } = await deps.writer.restore(path);
  if (restored > 0) deps.events.emit({ type: 'task.restored', path, entries: restored });
  return restored > 0;
}
