// A file whose status says `deleted` (G5) goes where our own delete puts it, its subtasks before it.
import { basename } from 'node:path';
import { isPassing } from '../../core/errors.ts';
import { MAX_NAME_BYTES, nameOfPath, shortenName } from '../../core/task/names.ts';
import { moveFile } from '../../store/write/move-file.ts';
import { subtasksToCascade } from '../references.ts';
import type { TaskRoom } from '../task-room.ts';
import { readFileRow } from './read-file-row.ts';

const TRASH = '.taskroom/attic';

/** Moves a task's file to the trash. Returns where it lies now, relative to the room. @throws RoomError `not_found`, `io`, `locked` */
export function moveToTrash(deps: TaskRoom, path: string): string {
  const day = new Date(deps.effects.now()).toISOString().slice(0, 10);
  const wanted = `${TRASH}/${day}-${shortenName(nameOfPath(path), MAX_NAME_BYTES)}.md`;
  // The transaction keeps our own writers from putting the file back at that moment.
  const to = deps.ledger.transaction(() => moveFile(deps.room.at(path), deps.room.at(wanted)));
  return `${TRASH}/${basename(to)}`;
}

/** Notes that a person deleted or archived a file, so that it can be taken back. @param to where it lies now */
export function notePersonsMove(
  { writer }: TaskRoom,
  move: { path: string; task: string | null; command: string | null },
  to: string,
): void {
  try {
    writer.persons.deleted(move, to);
  } catch (error) {
    // The file is moved all the same, and the answer says where it lies: only `undo` does not know of it.
    if (!isPassing(error)) throw error;
  }
}

/** Moves a file that still says `deleted` to the trash, its subtasks' files before it (C1); returns those paths. @throws RoomError `io`, `locked` */
export async function hideDeleted(deps: TaskRoom, path: string): Promise<string[]> {
  const row = await readFileRow(deps, path);
  if (row === null || row === 'unstable' || row.reading.ok || !row.reading.invalid.deleted) return [];
  const memory = deps.ledger.tasks.byPath(path);
  const below = memory === null ? [] : subtasksToCascade(deps.ledger, memory);
  const paths = [...below.map((child) => child.path!), path];
  for (const each of paths) moveToTrash(deps, each);
  return paths;
}
