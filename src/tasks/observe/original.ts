// Which of several files with one id is the task: the path where it was last seen, as long as it stands there; at the first
// look at a room, the one that no name tells to be a copy.
import type { TaskId } from '../../core/ids.ts';
import { isOriginal } from '../../core/task/copy-name.ts';
import { nameOfPath } from '../../core/task/task-name.ts';
import type { FileRow } from '../../store/ledger/tasks/files.ts';
import { isTaskFile } from '../../store/scan.ts';
import type { TaskRoom } from '../task-room.ts';

/** Where else a task is than at `path`: its file in tasks/ or in the archive; null when it is nowhere else. */
export function homeElsewhere(deps: TaskRoom, path: string, id: TaskId): string | null {
  const memory = deps.ledger.tasks.get(id);
  const home = memory?.path ?? memory?.archived ?? null;
  return home !== null && home !== path && stillThere(deps, home, id) ? home : null;
}

/** Whether the file at `path`, where a task was last seen, is there and still that task's. */
function stillThere(deps: TaskRoom, path: string, id: TaskId): boolean {
  const other = deps.ledger.files.get(path);
  const holds = other === null || !other.reading.ok || other.reading.task.id === id;
  return holds && isTaskFile(deps.room.at(path));
}

/**
 * Whether a file is the original of a copy that was seen before it. Only at the first look at a room: later the path
 * that is known keeps the id.
 */
export function takesOver({ ledger }: TaskRoom, row: FileRow, rival: string): boolean {
  const other = ledger.files.get(rival);
  if (other === null || ledger.meta.wasLookedAt()) return false;
  const named = ({ path, stamp }: FileRow) => ({ name: nameOfPath(path), mtimeMs: stamp.mtimeMs });
  return isOriginal(named(row), named(other));
}
